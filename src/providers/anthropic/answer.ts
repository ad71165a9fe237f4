// Translates Anthropic's answers and streams into OpenAI's. Usage in a stream is cumulative: the last count is
// final, nothing is summed. Source: platform.claude.com/docs/en/build-with-claude/streaming and
// /docs/en/build-with-claude/handling-stop-reasons

import { type Fields, isObject } from "#contract/normalise.ts";
import { badAnswer, badFrame, ignoredByHealth, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { ChatRequest, ParsedAnswer, StreamPiece, StreamReader } from "#providers/provider.ts";
import { type ChunkWriter, chunkWriter, type TokenCounts } from "#providers/translate/completion.ts";
import { brokenOff } from "#providers/translate/finish-reasons.ts";
import { fieldsIn, parseAnswerExactly, parseJson, textOf } from "#providers/translate/json.ts";
import {
  claudeFormat,
  sealedDetail,
  thinkingBlock,
  thoughtDetail,
} from "#providers/translate/reasoning-details.ts";
import { untilEnd } from "#providers/translate/stream-reader.ts";
import { makerFields } from "#providers/translate/unsealed-thoughts.ts";
import { type OpenWriter, wholeAnswer } from "#providers/translate/whole-answer.ts";
import { anthropicError } from "./failure.ts";
import { jsonTool, usesJsonTool, writesJson } from "./request.ts";

/** `model_context_window_exceeded` and `pause_turn` are truncated answers too. */
const finishes: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  pause_turn: "length",
  refusal: "content_filter",
};

/** OpenAI's finish reason; an unknown one is passed on as the vendor sent it. */
function finishOf(reason: string, byTool: boolean): string {
  if (byTool && reason === "tool_use") return "stop";
  return Object.hasOwn(finishes, reason) ? (finishes[reason] ?? reason) : reason;
}

/** The text of a refusal for which the model gave none. */
function refusalOf(details: unknown): string {
  const explanation = isObject(details) ? textOf(details.explanation) : "";
  return explanation === "" ? "The provider declined to answer." : explanation;
}

const count = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && Number.isSafeInteger(value) ? value : null;

/** Merges `usage` into earlier counts: missing and null fields keep their value. */
export function mergeUsage(before: Fields, usage: unknown): Fields {
  if (!isObject(usage)) return before;
  const counts = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(counts) };
}

/** `input_tokens` excludes tokens read from or written to a cache, which are prompt tokens too. */
export function countedOf(usage: Fields): TokenCounts | null {
  const input = count(usage.input_tokens);
  const output = count(usage.output_tokens);
  if (input === null || output === null) return null;
  const read = count(usage.cache_read_input_tokens);
  const written = count(usage.cache_creation_input_tokens);
  const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    promptTokens: input + (read ?? 0) + (written ?? 0),
    completionTokens: output,
    cachedTokens: read,
    cacheWriteTokens: written,
    cacheWriteHourTokens: isObject(usage.cache_creation)
      ? count(usage.cache_creation.ephemeral_1h_input_tokens)
      : null,
    reasoningTokens: count(details.thinking_tokens),
  };
}

/**
 * Whether an answer without content is valid: Claude ends its turn like this, with a few tokens counted, if it has nothing to add, mostly
 * after tool results (docs: "Empty responses with end_turn"). `usage`: the final counts.
 */
export const isEmptyTurn = (reason: string, usage: unknown): boolean =>
  reason === "end_turn" && isObject(usage) && (count(usage.output_tokens) ?? 0) > 0;

/** The chat completion of an Anthropic message, from its JSON. */
export function anthropicAnswer(text: string, request: ChatRequest): ParsedAnswer {
  const value = parseAnswerExactly(text);
  if (!isObject(value)) return badAnswer("Anthropic's answer is not a JSON object.");
  if (value.type === "error" || isObject(value.error)) {
    return { kind: "failure", failure: anthropicError(200, value, null) };
  }
  if (!Array.isArray(value.content)) return badAnswer("Anthropic's answer has no content.");
  if (textOf(value.stop_reason) === "") return badAnswer("Anthropic's answer has no stop reason.");
  return wholeAnswer(unfolded(value), (openWriter) => new AnthropicStream(request, openWriter));
}

/** The events of a whole message: each block is complete from its beginning. */
const unfolded = ({ content, stop_reason, stop_details, usage, ...message }: Fields): Fields[] => [
  { type: "message_start", message },
  ...fieldsIn(content).flatMap((content_block, index) => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason, stop_details }, usage },
  { type: "message_stop" },
];

/** The model did not follow the instruction to answer in JSON. Another member is called, and the health of this one does not change. */
const noObject = ignoredByHealth(
  vendorFailure("upstream_error", 200, "The model did not answer with a JSON object.", {
    code: "bad_upstream_answer",
  }),
);

/** The JSON object in the answer, also in a code fence or between sentences; null if there is none. */
function objectIn(content: string): string | null {
  const text = content.slice(content.indexOf("{"), content.lastIndexOf("}") + 1);
  return isObject(parseJson(text)) ? text : null;
}

/** Whether a content block contains thoughts, in clear text or sealed. */
export const isThinking = ({ type }: Fields): boolean => type === "thinking" || type === "redacted_thinking";

/**
 * Anthropic's own spelling of a piece of text without escapes: most events of a stream. They are not parsed, which costs three times as
 * much as this.
 */
const plainText =
  /^\{"type":"content_block_delta","index":\d{1,4},"delta":\{"type":"text_delta","text":"([^"\\\u0000-\u001f]*)"\} *\} *$/;

/** Maximum number of tool calls whose state is kept. */
const maxTools = 1024;

/**
 * A tool block that has begun. `call`: its index among the tool calls; null if the block is the answer itself.
 */
interface OpenTool {
  call: number | null;
  /** The `input` at the start of the block: complete if no deltas follow. */
  input: unknown;
  written: boolean;
}

/** Reads the events of a stream. */
export const anthropicStream = (request: ChatRequest): StreamReader =>
  new AnthropicStream(request, (head) => chunkWriter(head, request));

class AnthropicStream implements StreamReader {
  readonly #request: ChatRequest;
  readonly #openWriter: OpenWriter;
  readonly #byTool: boolean;
  readonly #inJson: boolean;
  /** The beginning of an object that the model writes. It is passed on once it is known to be an object. */
  #held = "";
  readonly #tools = new Map<unknown, OpenTool>();
  #chunks: ChunkWriter | null = null;
  #usage: Fields = {};
  #calls = 0;
  #hasText = false;
  #finished = false;
  #thinking = false;
  #mayBeEmpty = false;
  /** The current thinking block, and the number of those before it. */
  #thoughts = { text: "", signature: "" };
  #details = 0;

  constructor(request: ChatRequest, openWriter: OpenWriter) {
    this.#request = request;
    this.#openWriter = openWriter;
    this.#byTool = usesJsonTool(request);
    this.#inJson = writesJson(request);
  }

  readonly push = untilEnd(({ event, data }) => {
    const text = this.#chunks === null || event === "error" ? undefined : plainText.exec(data)?.[1];
    return text === undefined
      ? this.read(parseAnswerExactly(data), event)
      : this.#content(this.#chunks!, text);
  });

  thinking(): boolean {
    return this.#thinking || this.#held !== "";
  }

  mayBeEmpty(): boolean {
    return this.#mayBeEmpty;
  }

  #started(event: Fields): StreamPiece[] {
    const message = isObject(event.message) ? event.message : {};
    this.#usage = mergeUsage(this.#usage, message.usage);
    const head = { id: textOf(message.id), created: 0, model: textOf(message.model) || this.#request.model };
    this.#chunks = this.#openWriter(head);
    return [this.#chunks.role(0)];
  }

  #content(write: ChunkWriter, text: string): StreamPiece[] {
    if (text === "") return [];
    this.#hasText = true;
    if (this.#inJson) {
      this.#held += text;
      return [];
    }
    return [write.delta(0, { content: text })];
  }

  #reasoning(write: ChunkWriter, text: string): StreamPiece[] {
    if (text === "") return [];
    this.#thoughts.text += text;
    return [write.delta(0, { reasoning_content: text, details: [thoughtDetail(this.#details, text, "")] })];
  }

  #sealed(write: ChunkWriter, detail: Fields, whole: Fields): StreamPiece[] {
    const block = thinkingBlock(whole);
    this.#details += 1;
    return [write.delta(0, { details: [detail], ...(block === null ? {} : { blocks: [block] }) })];
  }

  #toolText(write: ChunkWriter, tool: OpenTool, text: string): StreamPiece[] {
    if (text === "") return [];
    tool.written = true;
    if (tool.call === null) return this.#content(write, text);
    return [write.delta(0, { call: { index: tool.call, arguments: text } })];
  }

  #blockStarted(write: ChunkWriter, event: Fields): StreamPiece[] {
    const block = isObject(event.content_block) ? event.content_block : {};
    this.#thinking = isThinking(block);
    if (block.type === "text") return this.#content(write, textOf(block.text));
    if (block.type === "thinking") {
      this.#thoughts = { text: "", signature: textOf(block.signature) };
      return this.#reasoning(write, textOf(block.thinking));
    }
    if (block.type === "redacted_thinking" && textOf(block.data) !== "") {
      const detail = sealedDetail(this.#details, textOf(block.data), claudeFormat);
      return this.#sealed(write, detail, detail);
    }
    if (block.type !== "tool_use") return [];
    if (this.#tools.size >= maxTools) return [badFrame("Anthropic's stream begins too many tool calls.")];
    const name = textOf(block.name);
    const call = this.#byTool && name === jsonTool ? null : this.#calls++;
    this.#tools.set(event.index, { call, input: block.input, written: false });
    if (call === null) return [];
    return [write.delta(0, { call: { index: call, id: textOf(block.id), name, arguments: "" } })];
  }

  #blockDelta(write: ChunkWriter, event: Fields): StreamPiece[] {
    const delta = isObject(event.delta) ? event.delta : {};
    if (delta.type === "text_delta") return this.#content(write, textOf(delta.text));
    if (delta.type === "thinking_delta") return this.#reasoning(write, textOf(delta.thinking));
    if (delta.type === "signature_delta") this.#thoughts.signature += textOf(delta.signature);
    if (delta.type !== "input_json_delta") return [];
    const tool = this.#tools.get(event.index);
    // Tools that the vendor runs itself send such deltas too.
    return tool ? this.#toolText(write, tool, textOf(delta.partial_json)) : [];
  }

  #blockStopped(write: ChunkWriter, event: Fields): StreamPiece[] {
    // Some endpoints with Anthropic's format do not sign thoughts but need them back nevertheless.
    const { maker } = this.#request;
    this.#thinking = false;
    const { text, signature } = this.#thoughts;
    this.#thoughts = { text: "", signature: "" };
    if (signature === "" && text !== "") {
      const unsigned = {
        ...thoughtDetail(this.#details, "", ""),
        ...(maker === undefined ? {} : makerFields(maker)),
      };
      this.#details += 1;
      return maker === undefined ? [] : [write.delta(0, { details: [unsigned] })];
    }
    if (signature !== "") {
      return this.#sealed(
        write,
        thoughtDetail(this.#details, "", signature),
        thoughtDetail(this.#details, text, signature),
      );
    }
    const tool = this.#tools.get(event.index);
    if (!tool || tool.written) return [];
    return this.#toolText(write, tool, JSON.stringify(tool.input ?? {}));
  }

  #messageDelta(write: ChunkWriter, event: Fields): StreamPiece[] {
    this.#usage = mergeUsage(this.#usage, event.usage);
    const delta = isObject(event.delta) ? event.delta : {};
    const reason = textOf(delta.stop_reason);
    if (reason === "" || this.#finished) return [];
    const broken = brokenOff(reason);
    if (broken !== null) return [{ kind: "failure", failure: broken }];
    this.#finished = true;
    this.#thinking = false;
    this.#mayBeEmpty = isEmptyTurn(reason, event.usage);
    const finish = finishOf(reason, this.#byTool);
    const object = this.#inJson && finish === "stop" ? objectIn(this.#held) : this.#held;
    if (object === null) return [{ kind: "failure", failure: noObject }];
    const whole = object === "" ? [] : [write.delta(0, { content: object })];
    this.#held = "";
    const refusal =
      reason === "refusal" && !this.#hasText
        ? [write.delta(0, { refusal: refusalOf(delta.stop_details) })]
        : [];
    return [...whole, ...refusal, write.finish(0, finish)];
  }

  #stopped(write: ChunkWriter): StreamPiece[] {
    if (!this.#finished) return [badFrame("Anthropic's stream ended without a stop reason.")];
    const counted = countedOf(this.#usage);
    return [...(counted === null ? [] : [write.usage(counted)]), { kind: "done" }];
  }

  read(event: unknown, name: string | null = null): StreamPiece[] {
    const type = isObject(event) && typeof event.type === "string" ? event.type : name;
    if (type === "ping") return [];
    if (type === "error" || (isObject(event) && isObject(event.error))) {
      return [{ kind: "failure", failure: anthropicError(200, event, null) }];
    }
    if (!isObject(event)) return [badFrame("Anthropic sent a frame that is not a JSON object.")];
    if (type === "message_start") return this.#chunks === null ? this.#started(event) : [];
    if (this.#chunks === null) return [badFrame("Anthropic's stream did not begin with its message.")];
    switch (type) {
      case "content_block_start":
        return this.#blockStarted(this.#chunks, event);
      case "content_block_delta":
        return this.#blockDelta(this.#chunks, event);
      case "content_block_stop":
        return this.#blockStopped(this.#chunks, event);
      case "message_delta":
        return this.#messageDelta(this.#chunks, event);
      case "message_stop":
        return this.#stopped(this.#chunks);
      default:
        // New event types may be added at any time (docs: "handle unknown event types gracefully").
        return [];
    }
  }
}

// Translates Anthropic's answers and streams into OpenAI's. Usage in a stream is cumulative: the last count is
// final, nothing is summed. Source: platform.claude.com/docs/en/build-with-claude/streaming and
// /docs/en/build-with-claude/handling-stop-reasons

import { type Fields, isObject } from "#contract/normalise.ts";
import { badAnswer, badFrame, sparingHealth, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type {
  ChatRequest,
  ParsedAnswer,
  StreamPiece,
  StreamReader,
  VendorEvent,
} from "#providers/provider.ts";
import {
  type ChunkWriter,
  chunkWriter,
  completion,
  type TokenCounts,
  type ToolCall,
} from "#providers/translate/completion.ts";
import { brokenOff } from "#providers/translate/finish-reasons.ts";
import { fieldsIn, parseAnswerExactly, parseJson, textOf } from "#providers/translate/json.ts";
import {
  claudeFormat,
  sealedDetail,
  sealOf,
  thinkingBlock,
  thoughtDetail,
} from "#providers/translate/reasoning-details.ts";
import { makerFields } from "#providers/translate/unsealed-thoughts.ts";
import { anthropicError } from "./failure.ts";
import { jsonTool, usesJsonTool, writesJson } from "./request.ts";

/** `model_context_window_exceeded` and `pause_turn` are cut answers too. */
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
 * Whether an answer without content is one: Claude ends its turn so, with a few tokens counted, where it has nothing to add,
 * mostly after the results of tools (docs: "Empty responses with end_turn"). `usage`: the final counts.
 */
export const isRightlyEmpty = (reason: string, usage: unknown): boolean =>
  reason === "end_turn" && isObject(usage) && (count(usage.output_tokens) ?? 0) > 0;

/** The chat completion of an Anthropic message, from its JSON. */
export function anthropicAnswer(text: string, request: ChatRequest): ParsedAnswer {
  const value = parseAnswerExactly(text);
  if (!isObject(value)) return badAnswer("Anthropic's answer is not a JSON object.");
  if (value.type === "error" || isObject(value.error)) {
    return { kind: "failure", failure: anthropicError(200, value, null) };
  }
  if (!Array.isArray(value.content)) return badAnswer("Anthropic's answer has no content.");
  const reason = textOf(value.stop_reason);
  if (reason === "") return badAnswer("Anthropic's answer has no stop reason.");
  const broken = brokenOff(reason);
  if (broken !== null) return { kind: "failure", failure: broken };
  const byTool = usesJsonTool(request);
  const calls: ToolCall[] = [];
  let content = "";
  let reasoning = "";
  const details: Fields[] = [];
  for (const block of fieldsIn(value.content)) {
    if (block.type === "text") content += textOf(block.text);
    else if (isThinking(block)) {
      reasoning += textOf(block.thinking);
      const detail = detailOf(block, details.length, request);
      if (textOf(block.thinking) !== "" || sealOf(detail) !== "") details.push(detail);
    } else if (block.type === "tool_use") {
      const input = JSON.stringify(block.input ?? {});
      if (byTool && block.name === jsonTool) content += input;
      else calls.push({ id: textOf(block.id), name: textOf(block.name), arguments: input });
    }
  }
  const refusal = reason === "refusal" && content === "" ? refusalOf(value.stop_details) : null;
  const finishReason = finishOf(reason, byTool);
  if (writesJson(request) && finishReason === "stop") {
    const object = objectIn(content);
    if (object === null) return { kind: "failure", failure: noObject };
    content = object;
  }
  const answer = completion(
    { id: textOf(value.id), created: 0, model: textOf(value.model) || request.model },
    [{ index: 0, text: content, reasoning, details, refusal, calls, finishReason }],
    countedOf(mergeUsage({}, value.usage)),
  );
  return isRightlyEmpty(reason, value.usage) ? { ...answer, output: true } : answer;
}

/** The model did not follow the instruction to answer in JSON. Another member is asked, and the health of this one stays as it is. */
const noObject = sparingHealth(
  vendorFailure("upstream_error", 200, "The model did not answer with a JSON object.", {
    code: "bad_upstream_answer",
  }),
);

/** The text of the object that the answer is, also in a code fence or between sentences; null: there is no object. */
function objectIn(content: string): string | null {
  const text = content.slice(content.indexOf("{"), content.lastIndexOf("}") + 1);
  return isObject(parseJson(text)) ? text : null;
}

/** Whether a content block holds thoughts, in clear or sealed. */
export const isThinking = ({ type }: Fields): boolean => type === "thinking" || type === "redacted_thinking";

/** Some endpoints that are shaped like Anthropic's sign no thoughts, and want them back nevertheless. */
function detailOf(block: Fields, index: number, { maker }: ChatRequest): Fields {
  if (block.type !== "thinking") return sealedDetail(index, textOf(block.data), claudeFormat);
  const { thinking, signature } = block;
  const detail = thoughtDetail(index, textOf(thinking), textOf(signature));
  return textOf(signature) === "" && maker !== undefined ? { ...detail, ...makerFields(maker) } : detail;
}

/** The most tool calls whose state is kept. */
const maxTools = 1024;

/**
 * A tool block that has begun. `call`: its index among the tool calls; null: the block is the answer itself.
 */
interface OpenTool {
  call: number | null;
  /** The `input` at the start of the block: complete if no deltas follow. */
  input: unknown;
  written: boolean;
}

/** Reads the events of a stream. Nothing after an error or the end is read. */
export function anthropicStream(request: ChatRequest): StreamReader {
  const byTool = usesJsonTool(request);
  const inJson = writesJson(request);
  const { maker } = request;
  /** An object that the model writes is passed on when it is known to be one. */
  let held = "";
  const tools = new Map<unknown, OpenTool>();
  let chunks: ChunkWriter | null = null;
  let usage: Fields = {};
  let calls = 0;
  let hasText = false;
  let finished = false;
  let over = false;
  let thinking = false;
  let rightlyEmpty = false;
  /** The block of thoughts under way, and how many came before it. */
  let thoughts = { text: "", signature: "" };
  let details = 0;

  const started = (event: Fields): StreamPiece[] => {
    const message = isObject(event.message) ? event.message : {};
    usage = mergeUsage(usage, message.usage);
    const head = { id: textOf(message.id), created: 0, model: textOf(message.model) || request.model };
    chunks = chunkWriter(head, request);
    return [chunks.role(0)];
  };

  const content = (write: ChunkWriter, text: string): StreamPiece[] => {
    if (text === "") return [];
    hasText = true;
    if (inJson) {
      held += text;
      return [];
    }
    return [write.delta(0, { content: text })];
  };
  const reasoning = (write: ChunkWriter, text: string): StreamPiece[] => {
    if (text === "") return [];
    thoughts.text += text;
    return [write.delta(0, { reasoning_content: text, details: [thoughtDetail(details, text, "")] })];
  };
  const sealed = (write: ChunkWriter, detail: Fields, whole: Fields): StreamPiece[] => {
    const block = thinkingBlock(whole);
    details += 1;
    return [write.delta(0, { details: [detail], ...(block === null ? {} : { blocks: [block] }) })];
  };
  const toolText = (write: ChunkWriter, tool: OpenTool, text: string): StreamPiece[] => {
    if (text === "") return [];
    tool.written = true;
    if (tool.call === null) return content(write, text);
    return [write.delta(0, { call: { index: tool.call, arguments: text } })];
  };

  const blockStarted = (write: ChunkWriter, event: Fields): StreamPiece[] => {
    const block = isObject(event.content_block) ? event.content_block : {};
    thinking = isThinking(block);
    if (block.type === "text") return content(write, textOf(block.text));
    if (block.type === "thinking") {
      thoughts = { text: "", signature: textOf(block.signature) };
      return reasoning(write, textOf(block.thinking));
    }
    if (block.type === "redacted_thinking" && textOf(block.data) !== "") {
      const detail = sealedDetail(details, textOf(block.data), claudeFormat);
      return sealed(write, detail, detail);
    }
    if (block.type !== "tool_use") return [];
    if (tools.size >= maxTools) return [badFrame("Anthropic's stream begins too many tool calls.")];
    const name = textOf(block.name);
    const call = byTool && name === jsonTool ? null : calls++;
    tools.set(event.index, { call, input: block.input, written: false });
    if (call === null) return [];
    return [write.delta(0, { call: { index: call, id: textOf(block.id), name, arguments: "" } })];
  };

  const blockDelta = (write: ChunkWriter, event: Fields): StreamPiece[] => {
    const delta = isObject(event.delta) ? event.delta : {};
    if (delta.type === "text_delta") return content(write, textOf(delta.text));
    if (delta.type === "thinking_delta") return reasoning(write, textOf(delta.thinking));
    if (delta.type === "signature_delta") thoughts.signature += textOf(delta.signature);
    if (delta.type !== "input_json_delta") return [];
    const tool = tools.get(event.index);
    // Tools that the vendor runs itself send such deltas too.
    return tool ? toolText(write, tool, textOf(delta.partial_json)) : [];
  };

  const blockStopped = (write: ChunkWriter, event: Fields): StreamPiece[] => {
    thinking = false;
    const { text, signature } = thoughts;
    thoughts = { text: "", signature: "" };
    if (signature === "" && text !== "") {
      const unsigned = {
        ...thoughtDetail(details, "", ""),
        ...(maker === undefined ? {} : makerFields(maker)),
      };
      details += 1;
      return maker === undefined ? [] : [write.delta(0, { details: [unsigned] })];
    }
    if (signature !== "") {
      return sealed(write, thoughtDetail(details, "", signature), thoughtDetail(details, text, signature));
    }
    const tool = tools.get(event.index);
    if (!tool || tool.written) return [];
    return toolText(write, tool, JSON.stringify(tool.input ?? {}));
  };

  const messageDelta = (write: ChunkWriter, event: Fields): StreamPiece[] => {
    usage = mergeUsage(usage, event.usage);
    const delta = isObject(event.delta) ? event.delta : {};
    const reason = textOf(delta.stop_reason);
    if (reason === "" || finished) return [];
    const broken = brokenOff(reason);
    if (broken !== null) return [{ kind: "failure", failure: broken }];
    finished = true;
    thinking = false;
    rightlyEmpty = isRightlyEmpty(reason, event.usage);
    const finish = finishOf(reason, byTool);
    const object = inJson && finish === "stop" ? objectIn(held) : held;
    if (object === null) return [{ kind: "failure", failure: noObject }];
    const whole = object === "" ? [] : [write.delta(0, { content: object })];
    held = "";
    const refusal =
      reason === "refusal" && !hasText ? [write.delta(0, { refusal: refusalOf(delta.stop_details) })] : [];
    return [...whole, ...refusal, write.finish(0, finish)];
  };

  const stopped = (write: ChunkWriter): StreamPiece[] => {
    over = true;
    if (!finished) return [badFrame("Anthropic's stream ended without a stop reason.")];
    const counted = countedOf(usage);
    return [...(counted === null ? [] : [write.usage(counted)]), { kind: "done" }];
  };

  const read = ({ event: name, data }: VendorEvent): StreamPiece[] => {
    const event = parseAnswerExactly(data);
    const type = isObject(event) && typeof event.type === "string" ? event.type : name;
    if (type === "ping") return [];
    if (type === "error" || (isObject(event) && isObject(event.error))) {
      return [{ kind: "failure", failure: anthropicError(200, event, null) }];
    }
    if (!isObject(event)) return [badFrame("Anthropic sent a frame that is not a JSON object.")];
    if (type === "message_start") return chunks === null ? started(event) : [];
    if (chunks === null) return [badFrame("Anthropic's stream did not begin with its message.")];
    switch (type) {
      case "content_block_start":
        return blockStarted(chunks, event);
      case "content_block_delta":
        return blockDelta(chunks, event);
      case "content_block_stop":
        return blockStopped(chunks, event);
      case "message_delta":
        return messageDelta(chunks, event);
      case "message_stop":
        return stopped(chunks);
      default:
        // New types of events may come at any time (docs: "handle unknown event types gracefully").
        return [];
    }
  };

  return {
    push: (event) => {
      if (over) return [];
      const pieces = read(event);
      if (pieces.some(({ kind }) => kind === "failure")) over = true;
      return pieces;
    },
    thinking: () => thinking || held !== "",
    rightlyEmpty: () => rightlyEmpty,
  };
}

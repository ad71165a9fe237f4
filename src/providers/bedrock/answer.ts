// Translates the answers and streams of Converse into OpenAI's. A stream's usage comes last, after the stop. Source:
// docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, …/API_runtime_ConverseStream.html and
// …/API_runtime_TokenUsage.html

import { type Fields, isObject } from "#contract/normalise.ts";
import { badAnswer, badFrame, ignoredByHealth } from "#providers/failure/vendor-failure.ts";
import type { ChatRequest, Failure, ParsedAnswer, StreamPiece, StreamReader } from "#providers/provider.ts";
import { type ChunkWriter, chunkWriter, type TokenCounts } from "#providers/translate/completion.ts";
import { fieldsIn, parseAnswerExactly, textOf } from "#providers/translate/json.ts";
import {
  claudeFormat,
  sealedDetail,
  thinkingBlock,
  thoughtDetail,
} from "#providers/translate/reasoning-details.ts";
import { untilEnd } from "#providers/translate/stream-reader.ts";
import { type OpenWriter, wholeAnswer } from "#providers/translate/whole-answer.ts";
import { bedrockError } from "./failure.ts";
import { makerOf } from "./request.ts";

const finishes: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  content_filtered: "content_filter",
  guardrail_intervened: "content_filter",
};

/** OpenAI's finish reason; an unknown one is passed on as the vendor sent it. */
const finishOf = (reason: string): string =>
  Object.hasOwn(finishes, reason) ? (finishes[reason] ?? reason) : reason;

/** The model wrote something that Bedrock cannot parse. Another member is called, and the health of this one does not change. */
function malformed(reason: string): Failure | null {
  if (reason !== "malformed_model_output" && reason !== "malformed_tool_use") return null;
  const message = `The model broke off its answer: ${reason}.`;
  return ignoredByHealth(badAnswer(message).failure);
}

const count = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && Number.isSafeInteger(value) ? value : null;

/** `inputTokens` excludes tokens read from or written to a cache, which are prompt tokens too. */
function countedOf(usage: unknown): TokenCounts | null {
  if (!isObject(usage)) return null;
  const input = count(usage.inputTokens);
  const output = count(usage.outputTokens);
  if (input === null || output === null) return null;
  const read = count(usage.cacheReadInputTokens);
  const written = count(usage.cacheWriteInputTokens);
  return {
    promptTokens: input + (read ?? 0) + (written ?? 0),
    completionTokens: output,
    cachedTokens: read,
    cacheWriteTokens: written,
    cacheWriteHourTokens: fieldsIn(usage.cacheDetails)
      .filter(({ ttl }) => ttl === "1h")
      .reduce((sum, { inputTokens }) => sum + (count(inputTokens) ?? 0), 0),
    reasoningTokens: null,
  };
}

/** Whether an answer without content is valid: the model ended its turn, with some tokens counted. */
const isEmptyTurn = (reason: string, usage: unknown): boolean =>
  reason === "end_turn" && isObject(usage) && (count(usage.outputTokens) ?? 0) > 0;

/** The chat completion of a Converse answer, from its JSON. */
export function bedrockAnswer(text: string, request: ChatRequest): ParsedAnswer {
  const value = parseAnswerExactly(text);
  if (!isObject(value)) return badAnswer("Bedrock's answer is not a JSON object.");
  const message = isObject(value.output) && isObject(value.output.message) ? value.output.message : null;
  if (message === null || !Array.isArray(message.content))
    return badAnswer("Bedrock's answer has no message.");
  const reason = textOf(value.stopReason);
  if (reason === "") return badAnswer("Bedrock's answer has no stop reason.");
  const events = unfolded(fieldsIn(message.content), reason, value.usage);
  return wholeAnswer(events, (openWriter) => new BedrockStream(request, openWriter, false));
}

/** The name and the fields of an event. */
type Event = readonly [name: string | null, event: unknown];

/** The events of a whole answer. */
const unfolded = (content: readonly Fields[], stopReason: string, usage: unknown): Event[] => [
  ["messageStart", {}],
  ...content.flatMap(({ text, toolUse, reasoningContent: thought }, contentBlockIndex): Event[] => {
    const delta = (own: Fields): Event => ["contentBlockDelta", { contentBlockIndex, delta: own }];
    const { input = {}, ...use } = isObject(toolUse) ? toolUse : {};
    const { reasoningText = thought } = isObject(thought) ? thought : {};
    return [
      delta({ text }),
      ...(isObject(toolUse)
        ? [
            ["contentBlockStart", { contentBlockIndex, start: { toolUse: use } }] as const,
            delta({ toolUse: { input: JSON.stringify(input ?? {}) } }),
          ]
        : []),
      ...(isObject(reasoningText) ? [delta({ reasoningContent: reasoningText })] : []),
      ["contentBlockStop", { contentBlockIndex }],
    ];
  }),
  ["messageStop", { stopReason }],
  ["metadata", { usage }],
];

/** Maximum number of tool calls whose state is kept. */
const maxTools = 1024;

/** Exceptions of the stream have the names of the others, with a lower-case first letter. */
const exceptionName = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** Reads the events of a stream. */
export const bedrockStream = (request: ChatRequest): StreamReader =>
  new BedrockStream(request, (head) => chunkWriter(head, request), makerOf(request.model) === "claude");

class BedrockStream implements StreamReader {
  readonly #write: ChunkWriter;
  readonly #signsLast: boolean;
  /** Calls by the index of their block. */
  readonly #tools = new Map<unknown, { call: number; written: boolean }>();
  #begun = false;
  #finished = false;
  #thinking = false;
  #stopReason = "";
  #mayBeEmpty = false;
  /** The current thinking block, and the number of those before it. */
  #thoughts = { text: "", signature: "" };
  #details = 0;

  /** `signsLast`: thoughts come in pieces, and are signed when they end, as Claude's are. */
  constructor({ model }: ChatRequest, openWriter: OpenWriter, signsLast: boolean) {
    this.#write = openWriter({ id: "", created: 0, model });
    this.#signsLast = signsLast;
  }

  readonly push = untilEnd(({ event, data }) => this.read([event, parseAnswerExactly(data)]));

  thinking(): boolean {
    return this.#thinking;
  }

  mayBeEmpty(): boolean {
    return this.#mayBeEmpty;
  }

  #thought(reasoning: Fields): StreamPiece[] {
    const text = textOf(reasoning.text);
    const sealed = textOf(reasoning.redactedContent);
    this.#thinking = true;
    this.#thoughts.signature += textOf(reasoning.signature);
    if (sealed !== "") return this.#signed(sealedDetail(this.#details, sealed, claudeFormat), null);
    if (text === "") return [];
    this.#thoughts.text += text;
    const pieces = this.#signsLast ? { details: [thoughtDetail(this.#details, text, "")] } : {};
    return [this.#write.delta(0, { reasoning_content: text, ...pieces })];
  }

  #signed(whole: Fields, rest: Fields | null): StreamPiece[] {
    const block = thinkingBlock(whole);
    this.#details += 1;
    return [
      this.#write.delta(0, { details: [rest ?? whole], ...(block === null ? {} : { blocks: [block] }) }),
    ];
  }

  #thoughtEnded(): StreamPiece[] {
    const { text, signature } = this.#thoughts;
    this.#thinking = false;
    this.#thoughts = { text: "", signature: "" };
    if (signature === "") {
      if (this.#signsLast && text !== "") this.#details += 1;
      return [];
    }
    const whole = thoughtDetail(this.#details, text, signature);
    return this.#signed(whole, this.#signsLast ? thoughtDetail(this.#details, "", signature) : whole);
  }

  #blockStarted({ contentBlockIndex: at, start }: Fields): StreamPiece[] {
    const use = isObject(start) && isObject(start.toolUse) ? start.toolUse : null;
    if (use === null) return [];
    if (this.#tools.size >= maxTools) return [badFrame("Bedrock's stream begins too many tool calls.")];
    const call = this.#tools.size;
    this.#tools.set(at, { call, written: false });
    const [id, name] = [textOf(use.toolUseId), textOf(use.name)];
    return [this.#write.delta(0, { call: { index: call, id, name, arguments: "" } })];
  }

  #blockDelta({ contentBlockIndex: at, delta }: Fields): StreamPiece[] {
    if (!isObject(delta)) return [];
    if (isObject(delta.reasoningContent)) return this.#thought(delta.reasoningContent);
    if (textOf(delta.text) !== "") return [this.#write.delta(0, { content: textOf(delta.text) })];
    const input = isObject(delta.toolUse) ? textOf(delta.toolUse.input) : "";
    const tool = this.#tools.get(at);
    if (input === "" || tool === undefined) return [];
    tool.written = true;
    return [this.#write.delta(0, { call: { index: tool.call, arguments: input } })];
  }

  /** A call without arguments has no deltas. */
  #toolEnded(at: unknown): StreamPiece[] {
    const tool = this.#tools.get(at);
    if (tool === undefined || tool.written) return [];
    tool.written = true;
    return [this.#write.delta(0, { call: { index: tool.call, arguments: "{}" } })];
  }

  #blockStopped({ contentBlockIndex: at }: Fields): StreamPiece[] {
    return [...this.#thoughtEnded(), ...this.#toolEnded(at)];
  }

  #stopped(event: Fields): StreamPiece[] {
    this.#stopReason = textOf(event.stopReason);
    if (this.#stopReason === "") return [badFrame("Bedrock's stream stopped without a reason.")];
    const failure = malformed(this.#stopReason);
    if (failure !== null) return [{ kind: "failure", failure }];
    this.#finished = true;
    return [
      ...[...this.#tools.keys()].flatMap((at) => this.#toolEnded(at)),
      ...this.#thoughtEnded(),
      this.#write.finish(0, finishOf(this.#stopReason)),
    ];
  }

  #ended(event: Fields): StreamPiece[] {
    const counted = countedOf(event.usage);
    if (!this.#finished) return [];
    this.#mayBeEmpty = isEmptyTurn(this.#stopReason, event.usage);
    return [...(counted === null ? [] : [this.#write.usage(counted)]), { kind: "done" }];
  }

  read([name, event]: Event): StreamPiece[] {
    const [, fault] = /^(?:exception|error):(.*)$/s.exec(name ?? "") ?? [];
    if (fault !== undefined)
      return [{ kind: "failure", failure: bedrockError(200, exceptionName(fault), event, null) }];
    if (!isObject(event)) return [badFrame("Bedrock sent a frame that is not a JSON object.")];
    if (name === "messageStart") {
      if (this.#begun) return [];
      this.#begun = true;
      return [this.#write.role(0)];
    }
    if (name === "metadata") return this.#ended(event);
    if (!this.#begun) return [badFrame("Bedrock's stream did not begin with its message.")];
    // What comes behind the stop belongs to no answer.
    if (this.#finished) return [];
    switch (name) {
      case "contentBlockStart":
        return this.#blockStarted(event);
      case "contentBlockDelta":
        return this.#blockDelta(event);
      case "contentBlockStop":
        return this.#blockStopped(event);
      case "messageStop":
        return this.#stopped(event);
      default:
        return [];
    }
  }
}

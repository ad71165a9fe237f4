// Translates the answers and streams of Converse into OpenAI's. A stream's usage comes last, behind the stop. Source:
// docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, …/API_runtime_ConverseStream.html and
// …/API_runtime_TokenUsage.html

import { type Fields, isObject } from "#contract/normalise.ts";
import { badAnswer, badFrame, sparingHealth } from "#providers/failure/vendor-failure.ts";
import type {
  ChatRequest,
  Failure,
  ParsedAnswer,
  StreamPiece,
  StreamReader,
  VendorEvent,
} from "#providers/provider.ts";
import { chunkWriter, completion, type TokenCounts, type ToolCall } from "#providers/translate/completion.ts";
import { fieldsIn, parseAnswerExactly, textOf } from "#providers/translate/json.ts";
import {
  claudeFormat,
  sealedDetail,
  thinkingBlock,
  thoughtDetail,
} from "#providers/translate/reasoning-details.ts";
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

/** The model wrote what Bedrock cannot read. Another member is asked, and the health of this one stays as it is. */
function malformed(reason: string): Failure | null {
  if (reason !== "malformed_model_output" && reason !== "malformed_tool_use") return null;
  const message = `The model broke off its answer: ${reason}.`;
  return sparingHealth(badAnswer(message).failure);
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

/** Whether an answer without content is one: the model ended its turn, with some tokens counted. */
const isRightlyEmpty = (reason: string, usage: unknown): boolean =>
  reason === "end_turn" && isObject(usage) && (count(usage.outputTokens) ?? 0) > 0;

/** The chat completion of Converse's answer, from its JSON. */
export function bedrockAnswer(text: string, request: ChatRequest): ParsedAnswer {
  const value = parseAnswerExactly(text);
  if (!isObject(value)) return badAnswer("Bedrock's answer is not a JSON object.");
  const message = isObject(value.output) && isObject(value.output.message) ? value.output.message : null;
  if (message === null || !Array.isArray(message.content))
    return badAnswer("Bedrock's answer has no message.");
  const reason = textOf(value.stopReason);
  if (reason === "") return badAnswer("Bedrock's answer has no stop reason.");
  const failure = malformed(reason);
  if (failure !== null) return { kind: "failure", failure };
  const calls: ToolCall[] = [];
  const details: Fields[] = [];
  let content = "";
  let reasoning = "";
  for (const { text: words, toolUse, reasoningContent } of fieldsIn(message.content)) {
    content += textOf(words);
    if (isObject(toolUse))
      calls.push({
        id: textOf(toolUse.toolUseId),
        name: textOf(toolUse.name),
        arguments: JSON.stringify(toolUse.input ?? {}),
      });
    if (!isObject(reasoningContent)) continue;
    const { reasoningText: thought, redactedContent: sealed } = reasoningContent;
    if (isObject(thought)) {
      reasoning += textOf(thought.text);
      if (textOf(thought.signature) !== "")
        details.push(thoughtDetail(details.length, textOf(thought.text), textOf(thought.signature)));
    }
    if (textOf(sealed) !== "") details.push(sealedDetail(details.length, textOf(sealed), claudeFormat));
  }
  const answer = completion(
    { id: "", created: 0, model: request.model },
    [{ index: 0, text: content, reasoning, details, refusal: null, calls, finishReason: finishOf(reason) }],
    countedOf(value.usage),
  );
  return isRightlyEmpty(reason, value.usage) ? { ...answer, output: true } : answer;
}

/** The most tool calls whose state is kept. */
const maxTools = 1024;

/** Exceptions of the stream have the names of the others, with a small letter in front. */
const exceptionName = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** Reads the events of a stream. Nothing after an error or the end is read. */
export function bedrockStream(request: ChatRequest): StreamReader {
  const write = chunkWriter({ id: "", created: 0, model: request.model }, request);
  const isClaude = makerOf(request.model) === "claude";
  /** Calls by the index of their block. */
  const tools = new Map<unknown, { call: number; written: boolean }>();
  let begun = false;
  let finished = false;
  let over = false;
  let thinking = false;
  let stopReason = "";
  let rightlyEmpty = false;
  /** The block of thoughts under way, and how many came before it. */
  let thoughts = { text: "", signature: "" };
  let details = 0;

  const thought = (reasoning: Fields): StreamPiece[] => {
    const text = textOf(reasoning.text);
    const sealed = textOf(reasoning.redactedContent);
    thinking = true;
    thoughts.signature += textOf(reasoning.signature);
    if (sealed !== "") return signed(sealedDetail(details, sealed, claudeFormat), null);
    if (text === "") return [];
    thoughts.text += text;
    // Claude's thoughts are signed when they end.
    const pieces = isClaude ? { details: [thoughtDetail(details, text, "")] } : {};
    return [write.delta(0, { reasoning_content: text, ...pieces })];
  };

  const signed = (whole: Fields, rest: Fields | null): StreamPiece[] => {
    const block = thinkingBlock(whole);
    details += 1;
    return [write.delta(0, { details: [rest ?? whole], ...(block === null ? {} : { blocks: [block] }) })];
  };

  const thoughtEnded = (): StreamPiece[] => {
    const { text, signature } = thoughts;
    thinking = false;
    thoughts = { text: "", signature: "" };
    if (signature === "") {
      if (isClaude && text !== "") details += 1;
      return [];
    }
    const whole = thoughtDetail(details, text, signature);
    return signed(whole, isClaude ? thoughtDetail(details, "", signature) : whole);
  };

  const blockStarted = ({ contentBlockIndex: at, start }: Fields): StreamPiece[] => {
    const use = isObject(start) && isObject(start.toolUse) ? start.toolUse : null;
    if (use === null) return [];
    if (tools.size >= maxTools) return [badFrame("Bedrock's stream begins too many tool calls.")];
    const call = tools.size;
    tools.set(at, { call, written: false });
    const [id, name] = [textOf(use.toolUseId), textOf(use.name)];
    return [write.delta(0, { call: { index: call, id, name, arguments: "" } })];
  };

  const blockDelta = ({ contentBlockIndex: at, delta }: Fields): StreamPiece[] => {
    if (!isObject(delta)) return [];
    if (isObject(delta.reasoningContent)) return thought(delta.reasoningContent);
    if (textOf(delta.text) !== "") return [write.delta(0, { content: textOf(delta.text) })];
    const input = isObject(delta.toolUse) ? textOf(delta.toolUse.input) : "";
    const tool = tools.get(at);
    if (input === "" || tool === undefined) return [];
    tool.written = true;
    return [write.delta(0, { call: { index: tool.call, arguments: input } })];
  };

  /** A call without arguments has no deltas. */
  const toolEnded = (at: unknown): StreamPiece[] => {
    const tool = tools.get(at);
    if (tool === undefined || tool.written) return [];
    tool.written = true;
    return [write.delta(0, { call: { index: tool.call, arguments: "{}" } })];
  };

  const blockStopped = ({ contentBlockIndex: at }: Fields): StreamPiece[] => [
    ...thoughtEnded(),
    ...toolEnded(at),
  ];

  const stopped = (event: Fields): StreamPiece[] => {
    stopReason = textOf(event.stopReason);
    if (stopReason === "") return [badFrame("Bedrock's stream stopped without a reason.")];
    const failure = malformed(stopReason);
    if (failure !== null) return [{ kind: "failure", failure }];
    finished = true;
    return [
      ...[...tools.keys()].flatMap(toolEnded),
      ...thoughtEnded(),
      write.finish(0, finishOf(stopReason)),
    ];
  };

  const ended = (event: Fields): StreamPiece[] => {
    const counted = countedOf(event.usage);
    if (!finished) return [];
    over = true;
    rightlyEmpty = isRightlyEmpty(stopReason, event.usage);
    return [...(counted === null ? [] : [write.usage(counted)]), { kind: "done" }];
  };

  const read = ({ event: name, data }: VendorEvent): StreamPiece[] => {
    const event = parseAnswerExactly(data);
    const [, fault] = /^(?:exception|error):(.*)$/s.exec(name ?? "") ?? [];
    if (fault !== undefined)
      return [{ kind: "failure", failure: bedrockError(200, exceptionName(fault), event, null) }];
    if (!isObject(event)) return [badFrame("Bedrock sent a frame that is not a JSON object.")];
    if (name === "messageStart") {
      if (begun) return [];
      begun = true;
      return [write.role(0)];
    }
    if (name === "metadata") return ended(event);
    if (!begun) return [badFrame("Bedrock's stream did not begin with its message.")];
    // What comes behind the stop belongs to no answer.
    if (finished) return [];
    switch (name) {
      case "contentBlockStart":
        return blockStarted(event);
      case "contentBlockDelta":
        return blockDelta(event);
      case "contentBlockStop":
        return blockStopped(event);
      case "messageStop":
        return stopped(event);
      default:
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
    thinking: () => thinking,
    rightlyEmpty: () => rightlyEmpty,
  };
}

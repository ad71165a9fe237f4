// Translates Gemini's answers and streams into OpenAI's. A stream has no final event: it is done when every requested candidate has
// finished and the usage was reported. Source: ai.google.dev/api/generate-content#v1beta.GenerateContentResponse

import { type Fields, isObject } from "#contract/normalise.ts";
import { badAnswer, badFrame, ignoredByHealth, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { ChatRequest, Failure, ParsedAnswer, StreamPiece, StreamReader } from "#providers/provider.ts";
import { append } from "#providers/translate/append.ts";
import {
  type ChunkWriter,
  type CompletionHead,
  chunkWriter,
  type Picture,
  type TokenCounts,
  type ToolCall,
} from "#providers/translate/completion.ts";
import { fieldsIn, parseAnswerExactly, textOf } from "#providers/translate/json.ts";
import { partSignature } from "#providers/translate/reasoning-details.ts";
import { untilEnd } from "#providers/translate/stream-reader.ts";
import { type OpenWriter, wholeAnswer } from "#providers/translate/whole-answer.ts";
import { geminiError } from "./failure.ts";
import { geminiLogprobs } from "./logprobs.ts";

const finishes: Readonly<Record<string, string>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  // More output exists but would need another request.
  CONTINUATION: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  LANGUAGE: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  IMAGE_RECITATION: "content_filter",
};

/** The model failed at this request, for example at its tools, and its partial answer is unusable: another one may do better. */
const failed: readonly string[] = [
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
  "NO_IMAGE",
  "IMAGE_OTHER",
  "OTHER",
];

/** The finish reason of a candidate, a failure, or null while it continues. An unknown reason is passed on. */
function finishOf(candidate: Fields, called: boolean): string | Failure | null {
  const reason = textOf(candidate.finishReason);
  if (reason === "" || reason === "FINISH_REASON_UNSPECIFIED") return null;
  if (failed.includes(reason)) {
    const failure = vendorFailure("upstream_error", 200, `Gemini broke off its answer: ${reason}.`, {
      code: "bad_upstream_answer",
    });
    return ignoredByHealth(failure);
  }
  if (reason === "STOP" && called) return "tool_calls";
  return Object.hasOwn(finishes, reason) ? (finishes[reason] ?? reason) : reason.toLowerCase();
}

const count = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && Number.isSafeInteger(value) ? value : null;

/** Gemini counts thoughts separately from the candidates' tokens; OpenAI includes them. */
function countedOf(usage: unknown): TokenCounts | null {
  if (!isObject(usage)) return null;
  const prompt = count(usage.promptTokenCount);
  if (prompt === null) return null;
  const thoughts = count(usage.thoughtsTokenCount);
  return {
    promptTokens: prompt + (count(usage.toolUsePromptTokenCount) ?? 0),
    completionTokens: (count(usage.candidatesTokenCount) ?? 0) + (thoughts ?? 0),
    cachedTokens: count(usage.cachedContentTokenCount),
    reasoningTokens: thoughts,
  };
}

function headingOf(value: Fields, request: ChatRequest): CompletionHead {
  const at = Date.parse(textOf(value.createTime));
  return {
    id: textOf(value.responseId),
    created: Number.isNaN(at) ? 0 : Math.floor(at / 1000),
    model: textOf(value.modelVersion) || request.model,
  };
}

/** The prompt itself was blocked: then there are no candidates. */
function blockedOf(value: Fields): Failure | null {
  const feedback = isObject(value.promptFeedback) ? value.promptFeedback : {};
  const reason = textOf(feedback.blockReason);
  if (reason === "") return null;
  const why = textOf(feedback.blockReasonMessage);
  const message = `The prompt was blocked: ${reason}.${why === "" ? "" : ` ${why}`}`;
  return vendorFailure("content_policy", 200, message, { param: "messages" });
}

/** The refusal text of a candidate that was blocked before any output. */
function refusalOf(candidate: Fields): string {
  const explanation = textOf(candidate.finishMessage);
  return explanation === "" ? `The answer was withheld: ${textOf(candidate.finishReason)}.` : explanation;
}

const partsOf = (candidate: Fields): Fields[] =>
  isObject(candidate.content) ? fieldsIn(candidate.content.parts) : [];

const indexOf = (candidate: Fields): number => count(candidate.index) ?? 0;

/** Assigns ids to the calls of one answer: Gemini's id if it is new, otherwise the answer's id and a counter. */
function callNamer(answerId: string): (call: Fields) => string {
  const stem = answerId.replace(/[^A-Za-z0-9]/g, "").slice(0, 24);
  const used = new Set<string>();
  let next = 0;
  return (call) => {
    const vendorId = textOf(call.id);
    let id = vendorId;
    while (id === "" || used.has(id)) id = `call_${stem === "" ? "" : `${stem}_`}${next++}`;
    used.add(id);
    return id;
  };
}

function calledTool(part: Fields, name: (call: Fields) => string): ToolCall | null {
  if (!isObject(part.functionCall)) return null;
  const call = part.functionCall;
  const signature = textOf(part.thoughtSignature);
  return {
    id: name(call),
    name: textOf(call.name),
    arguments: JSON.stringify(call.args ?? {}),
    ...(signature === "" ? {} : { extraContent: { google: { thought_signature: signature } } }),
  };
}

/** The image of a part; null if it has none. Drafts among the thoughts are not part of the answer. */
function pictureIn({ inlineData: data, thought }: Fields): Picture | null {
  if (!isObject(data) || thought === true) return null;
  const mediaType = textOf(data.mimeType);
  const base64 = textOf(data.data);
  return mediaType.startsWith("image/") && base64 !== "" ? { mediaType, base64 } : null;
}

/**
 * The signature of a text, or of the image with that number, as a list. At the end of a stream the text is empty: its signature counts
 * unless tools were called, which have their own. Thoughts have no signature that a model needs.
 */
function signaturesIn(part: Fields, index: number, picture: number | null, called: boolean): Fields[] {
  const signature = textOf(part.thoughtSignature);
  const { text, thought } = part;
  const isText = typeof text === "string" && (text !== "" || !called);
  const isSigned = signature !== "" && thought !== true && (picture !== null || isText);
  return isSigned ? [partSignature(index, signature, picture)] : [];
}

/** The chat completion of a Gemini answer, from its JSON. It is the only event of its stream. */
export function geminiAnswer(text: string, request: ChatRequest): ParsedAnswer {
  const value = parseAnswerExactly(text);
  if (!isObject(value)) return badAnswer("Gemini's answer is not a JSON object.");
  const candidates = numbered(fieldsIn(value.candidates));
  if (!isObject(value.error)) {
    if (candidates.length === 0 && blockedOf(value) === null)
      return badAnswer("Gemini's answer has no candidates.");
    if (candidates.some((candidate) => finishOf(candidate, false) === null))
      return badAnswer("Gemini's answer has no finish reason.");
  }
  return wholeAnswer(
    [{ ...value, candidates }],
    (openWriter) => new GeminiStream(request, openWriter, candidates.length),
  );
}

/** The candidates of a whole answer, by their positions if their indexes are not distinct. */
function numbered(candidates: readonly Fields[]): readonly Fields[] {
  const indexes = new Set(candidates.map(indexOf));
  return indexes.size === candidates.length && [...indexes].every((index) => index < maxCandidates)
    ? candidates
    : candidates.map((candidate, index) => ({ ...candidate, index }));
}

/** Maximum number of candidates and of calls whose state is kept. */
const maxCandidates = 1024;
const maxCalls = 10_000;

interface OpenCandidate {
  calls: number;
  images: number;
  signatures: number;
  hasText: boolean;
  finished: boolean;
}

/** Reads the events of a stream. */
export const geminiStream = (request: ChatRequest): StreamReader => {
  const candidates = typeof request.body.n === "number" ? request.body.n : 1;
  return new GeminiStream(request, (head) => chunkWriter(head, request), candidates);
};

class GeminiStream implements StreamReader {
  readonly #request: ChatRequest;
  readonly #openWriter: OpenWriter;
  readonly #candidateCount: number;
  readonly #candidates = new Map<number, OpenCandidate>();
  #chunks: ChunkWriter | null = null;
  #nameCall = callNamer("");

  /** `candidateCount`: the number of candidates that were requested. */
  constructor(request: ChatRequest, openWriter: OpenWriter, candidateCount: number) {
    this.#request = request;
    this.#openWriter = openWriter;
    this.#candidateCount = candidateCount;
  }

  readonly push = untilEnd(({ data }) => this.read(parseAnswerExactly(data)));

  missing(): boolean {
    return (
      this.#candidates.size < this.#candidateCount ||
      [...this.#candidates.values()].some((candidate) => !candidate.finished)
    );
  }

  #open(write: ChunkWriter, index: number): { state: OpenCandidate; pieces: StreamPiece[] } {
    const known = this.#candidates.get(index);
    if (known) return { state: known, pieces: [] };
    const state = { calls: 0, images: 0, signatures: 0, hasText: false, finished: false };
    this.#candidates.set(index, state);
    return { state, pieces: [write.role(index)] };
  }

  #candidate(write: ChunkWriter, candidate: Fields): StreamPiece[] {
    const index = indexOf(candidate);
    if (this.#candidates.size >= maxCandidates && !this.#candidates.has(index))
      return [badFrame("Gemini's stream has too many candidates.")];
    const { state, pieces } = this.#open(write, index);
    if (state.finished) return pieces;
    let logprobs = geminiLogprobs(candidate.logprobsResult);
    for (const part of partsOf(candidate)) {
      const call = calledTool(part, this.#nameCall);
      const text = textOf(part.text);
      const image = pictureIn(part);
      const details = call
        ? []
        : signaturesIn(part, state.signatures, image && state.images, state.calls > 0);
      if (state.calls >= maxCalls) return [...pieces, badFrame("Gemini's stream has too many calls.")];
      if (call) pieces.push(write.delta(index, { call: { ...call, index: state.calls++ } }));
      else if (image) pieces.push(write.delta(index, { image: { ...image, index: state.images++ } }));
      else if (part.thought === true && text !== "")
        pieces.push(write.delta(index, { reasoning_content: text }));
      else if (text !== "") {
        state.hasText = true;
        // Log probabilities belong to the whole event: they are sent with its first text.
        pieces.push(write.delta(index, { content: text }, logprobs));
        logprobs = null;
      }
      state.signatures += details.length;
      if (details.length > 0) pieces.push(write.delta(index, { details }));
    }
    if (logprobs !== null) pieces.push(write.delta(index, {}, logprobs));
    const finish = finishOf(candidate, state.calls > 0);
    if (finish === null) return pieces;
    if (typeof finish !== "string") return [...pieces, { kind: "failure", failure: finish }];
    state.finished = true;
    const isSilent = !state.hasText && state.calls === 0 && state.images === 0;
    if (finish === "content_filter" && isSilent) {
      pieces.push(write.delta(index, { refusal: refusalOf(candidate) }));
    }
    return [...pieces, write.finish(index, finish)];
  }

  read(value: unknown): StreamPiece[] {
    if (!isObject(value)) return [badFrame("Gemini sent a frame that is not a JSON object.")];
    if (isObject(value.error)) return [{ kind: "failure", failure: geminiError(200, value, null) }];
    const blocked = this.#candidates.size === 0 ? blockedOf(value) : null;
    const partial = fieldsIn(value.candidates);
    if (blocked && partial.length === 0) return [{ kind: "failure", failure: blocked }];
    if (this.#chunks === null) {
      const heading = headingOf(value, this.#request);
      this.#chunks = this.#openWriter(heading);
      this.#nameCall = callNamer(heading.id);
    }
    const pieces: StreamPiece[] = [];
    for (const candidate of partial) {
      append(pieces, this.#candidate(this.#chunks, candidate));
      if (pieces.at(-1)?.kind === "failure") return pieces;
    }
    const finished = [...this.#candidates.values()].filter((candidate) => candidate.finished).length;
    const usage = countedOf(value.usageMetadata);
    if (finished >= this.#candidateCount && usage !== null)
      pieces.push(this.#chunks.usage(usage), { kind: "done" });
    return pieces;
  }
}

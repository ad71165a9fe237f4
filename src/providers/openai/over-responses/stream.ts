// Reads streams of the Responses API as chunks of a chat completion. Calls are told apart by their place in the output, so
// that they may come interleaved. Source: platform.openai.com/docs/api-reference/responses-streaming

import { type Fields, isObject } from "#contract/normalise.ts";
import { badFrame } from "#providers/failure/vendor-failure.ts";
import type { ChatRequest, StreamPiece, StreamReader } from "#providers/provider.ts";
import { type ChunkWriter, chunkWriter } from "#providers/translate/completion.ts";
import { fieldsIn, parseAnswerExactly, textOf } from "#providers/translate/json.ts";
import { responsesFormat, sealedDetail } from "#providers/translate/reasoning-details.ts";
import { callOf, countsOf, failureInEvent, finishOf, headOf, sealsOf } from "./answer.ts";

/** The most calls whose state is kept. */
const maxCalls = 10_000;

/** A call under way. `sent`: units of its arguments that the client has. */
interface OpenCall {
  index: number;
  sent: number;
}

/** Events with a text, and what it is in a chunk. */
const texts: Readonly<Record<string, "content" | "refusal" | "reasoning_content">> = {
  "response.output_text.delta": "content",
  "response.refusal.delta": "refusal",
  "response.reasoning_summary_text.delta": "reasoning_content",
  "response.reasoning_text.delta": "reasoning_content",
};

/** Reads the events of a stream. Nothing after an error or the end is read. */
export function streamOverResponses(request: ChatRequest): StreamReader {
  return new OverResponsesStream(request);
}

class OverResponsesStream implements StreamReader {
  readonly #request: ChatRequest;
  #chunks: ChunkWriter | null = null;
  /** By `output_index`. */
  readonly #calls = new Map<unknown, OpenCall>();
  /** How many sealed thoughts came. */
  #thoughts = 0;
  #thinking = false;
  #over = false;

  constructor(request: ChatRequest) {
    this.#request = request;
  }

  push({ event, data }: { event: string | null; data: string }): StreamPiece[] {
    if (this.#over || data.trim() === "" || data.trim() === "[DONE]") return [];
    const value = parseAnswerExactly(data);
    const pieces = isObject(value)
      ? this.#read(textOf(value.type) || (event ?? ""), value)
      : [badFrame("The provider sent a frame that is no event.")];
    if (pieces.some(({ kind }) => kind !== "chunk")) this.#over = true;
    return pieces;
  }

  thinking(): boolean {
    return this.#thinking;
  }

  #read(type: string, value: Fields): StreamPiece[] {
    if (type === "error" || type === "response.failed" || isObject(value.error))
      return [{ kind: "failure", failure: failureInEvent(value) }];
    const response = isObject(value.response) ? value.response : {};
    const pieces: StreamPiece[] = [];
    if (this.#chunks === null) {
      this.#chunks = chunkWriter(headOf(response, this.#request), this.#request);
      pieces.push(this.#chunks.role(0));
    }
    return [...pieces, ...this.#output(this.#chunks, type, value, response)];
  }

  #output(write: ChunkWriter, type: string, value: Fields, response: Fields): StreamPiece[] {
    const field = Object.hasOwn(texts, type) ? texts[type] : undefined;
    if (field !== undefined) {
      const logprobs = fieldsIn(value.logprobs);
      const delta = { [field]: textOf(value.delta) };
      return [write.delta(0, delta, logprobs.length === 0 ? null : { content: logprobs, refusal: null })];
    }
    switch (type) {
      case "response.output_item.added":
      case "response.output_item.done": {
        const item = isObject(value.item) ? value.item : {};
        const isOpen = type === "response.output_item.added";
        this.#thinking = isOpen && item.type === "reasoning";
        if (!isOpen && item.type === "reasoning") return this.#thought(write, item);
        return item.type === "function_call" ? this.#called(write, value.output_index, item) : [];
      }
      case "response.function_call_arguments.delta":
        return this.#argued(write, value.output_index, textOf(value.delta));
      case "response.completed":
      case "response.incomplete":
        return this.#finished(write, response);
      default:
        return [];
    }
  }

  #thought(write: ChunkWriter, item: Fields): StreamPiece[] {
    return sealsOf(item).map((seal) =>
      write.delta(0, { details: [sealedDetail(this.#thoughts++, seal, responsesFormat)] }),
    );
  }

  /** A call begins, or is whole: some servers send its arguments with its end alone. */
  #called(write: ChunkWriter, place: unknown, item: Fields): StreamPiece[] {
    const { id, name, arguments: text } = callOf(item);
    const known = this.#calls.get(place);
    if (known !== undefined) return this.#argued(write, place, text.slice(known.sent));
    if (this.#calls.size >= maxCalls) return [badFrame("The provider's stream has too many calls.")];
    const call: OpenCall = { index: this.#calls.size, sent: text.length };
    this.#calls.set(place, call);
    return [write.delta(0, { call: { index: call.index, id, name, arguments: text } })];
  }

  #argued(write: ChunkWriter, place: unknown, text: string): StreamPiece[] {
    const call = this.#calls.get(place);
    if (call === undefined) return [badFrame("The provider sent arguments of a call that has not begun.")];
    if (text === "") return [];
    call.sent += text.length;
    return [write.delta(0, { call: { index: call.index, arguments: text } })];
  }

  #finished(write: ChunkWriter, response: Fields): StreamPiece[] {
    this.#thinking = false;
    const reason = finishOf(response, this.#calls.size > 0);
    if (reason === null) return [badFrame("The provider's stream ended without a status.")];
    const counts = countsOf(response);
    return [write.finish(0, reason), ...(counts === null ? [] : [write.usage(counts)]), { kind: "done" }];
  }
}

// Writes Gemini API streams from chat completion chunks: server-sent events with `alt=sse`, otherwise one JSON array that grows. Calls are
// sent whole, in the last piece, which also contains the finish reason and the usage.

import { AnswerThoughts } from "#ai/apis/answer-thoughts.ts";
import type { ChatPiece, Counts } from "#ai/apis/chat-answer.ts";
import { PieceWriter } from "#ai/apis/piece-writer.ts";
import type { ServicePool } from "#ai/stream/sse-writer.ts";
import type { ApiError } from "#providers/provider.ts";
import {
  type ContentRules,
  callPart,
  finishReason,
  picturePart,
  responseOf,
  usageMetadata,
  withThoughts,
} from "./answer.ts";

/** How pieces are framed in a stream. */
interface Framing {
  piece(json: string): string;
  end(): string;
}

export function framingOf(isEvents: boolean): Framing {
  if (isEvents) return { piece: (json) => `data: ${json}\r\n\r\n`, end: () => "" };
  let isFirst = true;
  const opening = () => {
    const text = isFirst ? "[" : ",\r\n";
    isFirst = false;
    return text;
  };
  return { piece: (json) => opening() + json, end: () => (isFirst ? "[]" : "]") };
}

/** The last piece of an interrupted stream. Its status tells clients that a retry may help. */
export function contentError({ message }: ApiError, framing: Framing): string {
  return (
    framing.piece(JSON.stringify({ error: { code: 503, message, status: "UNAVAILABLE" } })) + framing.end()
  );
}

interface Call {
  id: string;
  name: string;
  arguments: string;
  signature: string;
}

export class ContentWriter extends PieceWriter {
  readonly #rules: ContentRules;
  readonly #framing: Framing;
  readonly #served: ServicePool;
  readonly #calls = new Map<number, Call>();
  readonly #thoughts: AnswerThoughts;
  #counts: Counts | null = null;
  #finish: string | null = null;
  #refused = false;

  constructor(rules: ContentRules, framing: Framing, served: ServicePool) {
    super();
    this.#rules = rules;
    this.#thoughts = new AnswerThoughts(rules.maker);
    this.#framing = framing;
    this.#served = served;
  }

  protected override write(piece: ChatPiece): string {
    const { text, reasoning, refusal, pictures, calls, finish, counts } = piece;
    this.#thoughts.add(piece);
    this.#counts = counts ?? this.#counts;
    this.#finish = finish ?? this.#finish;
    if (refusal !== "") this.#refused = true;
    for (const { index, ...call } of calls) {
      const known = this.#calls.get(index);
      if (known === undefined) this.#calls.set(index, call);
      else {
        known.name ||= call.name;
        known.signature ||= call.signature;
        known.arguments += call.arguments;
      }
    }
    const visible = text + refusal;
    const parts = [
      ...(this.#rules.thoughts && reasoning !== "" ? [{ text: reasoning, thought: true }] : []),
      ...(visible === "" ? [] : [{ text: visible }]),
      ...pictures.map(picturePart),
    ];
    return parts.length === 0 ? "" : this.#piece(parts, {}, {});
  }

  override done(): string {
    const parts = [...this.#calls.values()].map((call) => callPart(call, this.#rules));
    const counts = this.#counts;
    const usage = {
      ...(counts === null ? {} : { usageMetadata: usageMetadata(counts) }),
      service_pool: this.#served,
    };
    const finish = { finishReason: finishReason(this.#finish, this.#refused) };
    const last = withThoughts(parts.length === 0 ? [{ text: "" }] : parts, this.#thoughts.take());
    return this.#piece(last, finish, usage) + this.#framing.end();
  }

  override failed(error: ApiError): string {
    return contentError(error, this.#framing);
  }

  #piece(parts: readonly object[], more: object, usage: object): string {
    return this.#framing.piece(JSON.stringify(responseOf(parts, more, usage, this.#rules)));
  }
}

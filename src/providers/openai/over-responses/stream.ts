// Reads answers and streams of the Responses API as chat completions. Calls are distinguished by their ids, or otherwise by their position
// in the output, so they may be interleaved. Content that a server sends only at the end of an item or of the answer counts as well.
// Source: platform.openai.com/docs/api-reference/responses-streaming

import { type Fields, isObject } from "#contract/normalise.ts";
import { badAnswer, badFrame } from "#providers/failure/vendor-failure.ts";
import type { ChatRequest, ParsedAnswer, StreamPiece, StreamReader } from "#providers/provider.ts";
import { type ChunkWriter, chunkWriter } from "#providers/translate/completion.ts";
import { argumentsText, fieldsIn, parseAnswerExactly, textOf } from "#providers/translate/json.ts";
import { responsesFormat, sealedDetail } from "#providers/translate/reasoning-details.ts";
import { untilEnd } from "#providers/translate/stream-reader.ts";
import { type OpenWriter, wholeAnswer } from "#providers/translate/whole-answer.ts";
import {
  callOf,
  countsOf,
  failureInEvent,
  finishOf,
  headOf,
  isPreamble,
  messageGap,
  refusalsOf,
  sealsOf,
  textsOf,
  thoughtsOf,
} from "./answer.ts";

/** Maximum number of calls, and of messages, whose state is kept. */
const maxItems = 10_000;

/** A call in progress. `sent`: units of its arguments that the client has received. */
interface OpenCall {
  index: number;
  id: string;
  sent: number;
}

/** A message in progress. `units`, `refused`: units of its text and of its refusal received so far. */
interface OpenMessage {
  preamble: boolean;
  units: number;
  refused: number;
}

/** A piece of a message's text. */
interface TextPiece {
  message: OpenMessage;
  text: string;
  logprobs: readonly Fields[];
}

/** Reads the events of a stream. */
export const streamOverResponses = (request: ChatRequest): StreamReader =>
  new OverResponsesStream(request, (head) => chunkWriter(head, request));

/** The chat completion of a whole answer, from its JSON. */
export function completionOfResponse(text: string, request: ChatRequest): ParsedAnswer {
  const value = parseAnswerExactly(text);
  if (!isObject(value)) return badAnswer("The provider's answer is not JSON, or too large to read.");
  if (isObject(value.error) || value.status === "failed")
    return { kind: "failure", failure: failureInEvent(value) };
  if (!Array.isArray(value.output)) return badAnswer("The provider's answer has no output.");
  if (finishOf(value, false) === null) return badAnswer("The provider's answer has no end.");
  const { output, ...response } = value;
  const events = [
    ...fieldsIn(output).map((item, at) => ({ type: itemDone, response, item, output_index: at })),
    { type: "response.completed", response },
  ];
  return wholeAnswer(events, (openWriter) => new OverResponsesStream(request, openWriter));
}

const itemDone = "response.output_item.done";

class OverResponsesStream implements StreamReader {
  readonly #request: ChatRequest;
  readonly #openWriter: OpenWriter;
  #chunks: ChunkWriter | null = null;
  #callCount = 0;
  /** By the item's id, by the call's id, and by `output_index`. */
  readonly #calls = new Map<unknown, OpenCall>();
  /** By `output_index`. */
  readonly #messages = new Map<unknown, OpenMessage>();
  /** The message whose text arrived last. Null if there was none. */
  #speaking: OpenMessage | null = null;
  /** The text of preambles, which is held back until the next item shows what they introduce. */
  #preambles: TextPiece[] = [];
  #hasText = false;
  /** Number of sealed thoughts received. */
  #seals = 0;
  /** Units of the open reasoning item's thoughts received so far. */
  #thoughtUnits = 0;
  #thinking = false;

  constructor(request: ChatRequest, openWriter: OpenWriter) {
    this.#request = request;
    this.#openWriter = openWriter;
  }

  readonly push = untilEnd(({ event, data }) => {
    if (data.trim() === "" || data.trim() === "[DONE]") return [];
    const value = parseAnswerExactly(data);
    return isObject(value)
      ? this.read(value, event)
      : [badFrame("The provider sent a frame that is no event.")];
  });

  thinking(): boolean {
    return this.#thinking || this.#preambles.length > 0;
  }

  read(value: Fields, name: string | null = null): StreamPiece[] {
    const type = textOf(value.type) || (name ?? "");
    if (type === "error" || type === "response.failed" || isObject(value.error))
      return [{ kind: "failure", failure: failureInEvent(value) }];
    const response = isObject(value.response) ? value.response : {};
    const pieces: StreamPiece[] = [];
    if (this.#chunks === null) {
      this.#chunks = this.#openWriter(headOf(response, this.#request));
      pieces.push(this.#chunks.role(0));
    }
    return [...pieces, ...this.#output(this.#chunks, type, value, response)];
  }

  #output(write: ChunkWriter, type: string, value: Fields, response: Fields): StreamPiece[] {
    switch (type) {
      case "response.refusal.delta":
        return this.#refusal(write, this.#messageAt(value.output_index, {}), textOf(value.delta));
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#thought(write, textOf(value.delta));
      case "response.output_item.added":
      case itemDone: {
        const item = isObject(value.item) ? value.item : {};
        const isOpen = type === "response.output_item.added";
        this.#thinking = isOpen && item.type === "reasoning";
        return this.#item(write, value.output_index, item, isOpen);
      }
      case "response.output_text.delta":
        return this.#textPiece(write, value.output_index, textOf(value.delta), fieldsIn(value.logprobs));
      case "response.function_call_arguments.delta":
        return this.#argued(write, this.#callAt(value), textOf(value.delta));
      case "response.function_call_arguments.done":
        return this.#rest(write, this.#callAt(value), argumentsText(value.arguments));
      case "response.completed":
      case "response.incomplete":
        return this.#finished(write, response);
      default:
        return [];
    }
  }

  #item(write: ChunkWriter, place: unknown, item: Fields, isOpen: boolean): StreamPiece[] {
    switch (item.type) {
      case "reasoning":
        return isOpen ? [] : this.#thoughtEnded(write, item);
      case "function_call":
        return this.#called(write, place, item);
      case "message": {
        const { units, refused } = this.#messageAt(place, item);
        if (isOpen) return [];
        const logprobs = fieldsIn(item.content).flatMap((part) => fieldsIn(part.logprobs));
        return [
          ...this.#textPiece(write, place, textsOf(item).slice(units), units === 0 ? logprobs : []),
          ...this.#refusal(write, this.#messageAt(place, item), refusalsOf(item).slice(refused)),
        ];
      }
      default:
        return [];
    }
  }

  #thought(write: ChunkWriter, text: string): StreamPiece[] {
    this.#thoughtUnits += text.length;
    return text === "" ? [] : [write.delta(0, { reasoning_content: text })];
  }

  #thoughtEnded(write: ChunkWriter, item: Fields): StreamPiece[] {
    const late = this.#thoughtUnits === 0 ? this.#thought(write, thoughtsOf(item)) : [];
    this.#thoughtUnits = 0;
    const seals = sealsOf(item).map((seal) => sealedDetail(this.#seals++, seal, responsesFormat));
    return [...late, ...seals.map((detail) => write.delta(0, { details: [detail] }))];
  }

  #refusal(write: ChunkWriter, message: OpenMessage, text: string): StreamPiece[] {
    message.refused += text.length;
    return text === "" ? [] : [write.delta(0, { refusal: text })];
  }

  #messageAt(place: unknown, item: Fields): OpenMessage {
    const known = this.#messages.get(place);
    if (known !== undefined) return known;
    const message = { preamble: isPreamble(item), units: 0, refused: 0 };
    if (this.#messages.size < maxItems) this.#messages.set(place, message);
    return message;
  }

  /** A piece of a message's text. */
  #textPiece(
    write: ChunkWriter,
    place: unknown,
    text: string,
    logprobs: readonly Fields[] = [],
  ): StreamPiece[] {
    const message = this.#messageAt(place, {});
    message.units += text.length;
    this.#hasText ||= text !== "";
    if (text === "" && logprobs.length === 0) return [];
    if (message.preamble) {
      this.#preambles.push({ message, text, logprobs });
      return [];
    }
    return [...this.#preamblesAsThoughts(write), this.#spoken(write, { message, text, logprobs })];
  }

  #spoken(write: ChunkWriter, { message, text, logprobs }: TextPiece): StreamPiece {
    const isNext = this.#speaking !== null && this.#speaking !== message;
    this.#speaking = message;
    const content = isNext ? messageGap + text : text;
    return write.delta(0, { content }, logprobs.length === 0 ? null : { content: logprobs, refusal: null });
  }

  /** Preambles are thoughts if another message follows, and texts if a call or the end follows. */
  #preamblesAsThoughts(write: ChunkWriter): StreamPiece[] {
    const text = this.#preambles.map((piece) => piece.text).join("");
    this.#preambles = [];
    return text === "" ? [] : [write.delta(0, { reasoning_content: text })];
  }

  #preamblesAsTexts(write: ChunkWriter): StreamPiece[] {
    const pieces = this.#preambles.map((piece) => this.#spoken(write, piece));
    this.#preambles = [];
    return pieces;
  }

  /** The call of an event about arguments. */
  #callAt({ item_id: id, output_index: place }: Fields): OpenCall | undefined {
    return (typeof id === "string" ? this.#calls.get(id) : undefined) ?? this.#calls.get(place);
  }

  /** A call begins or is complete. Some servers number all items alike, so the call's id takes precedence over its position. */
  #called(write: ChunkWriter, place: unknown, item: Fields): StreamPiece[] {
    const { id, name, arguments: text } = callOf(item);
    const here = this.#calls.get(place);
    const known =
      this.#calls.get(id) ?? (here !== undefined && (here.id === id || id === "") ? here : undefined);
    if (known !== undefined) return this.#rest(write, known, text);
    if (this.#callCount >= maxItems) return [badFrame("The provider's stream has too many calls.")];
    const call: OpenCall = { index: this.#callCount++, id, sent: text.length };
    for (const key of [place, id, textOf(item.id)]) if (key !== "") this.#calls.set(key, call);
    return [
      ...this.#preamblesAsTexts(write),
      write.delta(0, { call: { index: call.index, id, name, arguments: text } }),
    ];
  }

  /** The rest of a call's complete arguments beyond what was received. */
  #rest(write: ChunkWriter, call: OpenCall | undefined, whole: string): StreamPiece[] {
    return this.#argued(write, call, whole.slice(call?.sent ?? 0));
  }

  #argued(write: ChunkWriter, call: OpenCall | undefined, text: string): StreamPiece[] {
    if (call === undefined) return [badFrame("The provider sent arguments of a call that has not begun.")];
    if (text === "") return [];
    call.sent += text.length;
    return [write.delta(0, { call: { index: call.index, arguments: text } })];
  }

  #finished(write: ChunkWriter, response: Fields): StreamPiece[] {
    this.#thinking = false;
    const items = fieldsIn(response.output);
    // The items of the end may have other positions than those of the events: texts count only if none were received before.
    const isSilent = !this.#hasText;
    const late = items.flatMap((item, at): StreamPiece[] => {
      // Calls without ids may be the ones received before.
      if (item.type === "function_call" && (callOf(item).id !== "" || this.#callCount === 0))
        return this.#called(write, `end ${at}`, item);
      return item.type === "message" && isSilent ? this.#item(write, `end ${at}`, item, false) : [];
    });
    const reason = finishOf(response, this.#callCount > 0);
    if (reason === null) return [badFrame("The provider's stream ended without a status.")];
    const counts = countsOf(response);
    return [
      ...late,
      ...this.#preamblesAsTexts(write),
      write.finish(0, reason),
      ...(counts === null ? [] : [write.usage(counts)]),
      { kind: "done" },
    ];
  }
}

// Writes Messages API streams: block by block from chat completion chunks, and event by event from a member that speaks the format. Source:
// platform.claude.com/docs/en/build-with-claude/streaming

import { AnswerThoughts } from "#ai/apis/answer-thoughts.ts";
import type { AnswerRules, StreamWriter } from "#ai/apis/api-request.ts";
import { type ChatPiece, type Counts, callIds } from "#ai/apis/chat-answer.ts";
import { PieceWriter } from "#ai/apis/piece-writer.ts";
import type { ServicePool } from "#ai/stream/sse-writer.ts";
import { membersOf, withMembers } from "#contract/json-text.ts";
import type { Fields } from "#contract/normalise.ts";
import type { ApiError, Chunk, Usage } from "#providers/provider.ts";
import { sealOf } from "#providers/translate/reasoning-details.ts";
import {
  isSilentBlock,
  type MessageRules,
  messageUsage,
  pictureNote,
  signatureFor,
  stopReason,
} from "./answer.ts";

const frame = (type: string, json: string) => `event: ${type}\ndata: ${json}\n\n`;
const event = (value: { type: string } & Record<string, unknown>) => frame(value.type, JSON.stringify(value));

export const messagePing = () => frame("ping", '{"type":"ping"}');

/** The end of an interrupted stream. Clients retry after an `overloaded_error`. */
export function messageErrorFrame({ message }: ApiError): string {
  return event({ type: "error", error: { type: "overloaded_error", message } });
}

/** The last event: by then, the cost of the call is known. */
const messageStop = (served: ServicePool) => event({ type: "message_stop", service_pool: served });

/** A tool call whose block is not open yet because another one is: blocks are sent one after another. */
interface WaitingCall {
  id: string;
  name: string;
  text: string;
}

type StreamRules = MessageRules & Pick<AnswerRules, "promptTokens" | "served">;

/** Writes a message from the chunks of a chat completion. */
export class MessageWriter extends PieceWriter {
  readonly #rules: StreamRules;
  readonly #idOf: (vendorId: string) => string;
  #counts: Counts | null = null;
  #started = false;
  /** The open block; for a call, identified by its index in the completion. */
  #open: "text" | "thinking" | number | null = null;
  #blocks = 0;
  /** The thoughts that sign the open thinking block or the next one. */
  readonly #thoughts: AnswerThoughts;
  /** The first call whose block was opened, and the calls after it. */
  #firstCall: number | null = null;
  readonly #waiting = new Map<number, WaitingCall>();
  /** Text that arrived while a call was open. */
  #lateText = "";
  #finish: string | null = null;
  #refused = false;

  constructor(rules: StreamRules) {
    super();
    this.#rules = rules;
    this.#idOf = callIds("toolu_", rules.stem);
    this.#thoughts = new AnswerThoughts(rules.maker);
  }

  protected override write(piece: ChatPiece): string {
    const { text, reasoning, details, refusal, pictures, calls, finish, counts } = piece;
    if (this.#firstCall === null) this.#thoughts.add(piece);
    this.#counts = counts ?? this.#counts;
    this.#finish = finish ?? this.#finish;
    if (refusal !== "") this.#refused = true;
    let out = this.#started ? "" : this.#start();
    if (reasoning !== "" && this.#rules.thinking && this.#firstCall === null)
      out += this.#delta("thinking", reasoning);
    if (this.#firstCall === null && this.#rules.signed) out += this.#sign(details);
    if (this.#firstCall === null && text + refusal !== "" && this.#rules.signed)
      out += this.#signSilently(false);
    out += this.#say(text + refusal);
    const note = pictureNote(pictures);
    if (note !== "") {
      // The note has its own block, as in a whole answer.
      if (this.#firstCall === null) out += this.#close() + this.#say(note) + this.#close();
      else this.#say(`\n${note}\n`);
    }
    for (const call of calls) {
      if (this.#firstCall === null) {
        this.#firstCall = call.index;
        out += this.#signSilently(true);
        out += this.#openCall(call.index, this.#idOf(call.id), call.name);
      }
      if (call.index === this.#firstCall) out += this.#arguments(call.arguments);
      else {
        const waiting = this.#waiting.get(call.index) ?? { id: this.#idOf(call.id), name: "", text: "" };
        waiting.name ||= call.name;
        waiting.text += call.arguments;
        this.#waiting.set(call.index, waiting);
      }
    }
    return out;
  }

  override done(): string {
    let out = this.#started ? "" : this.#start();
    out += this.#close();
    for (const [index, { id, name, text }] of this.#waiting) {
      out += this.#openCall(index, id, name) + this.#arguments(text) + this.#close();
    }
    if (this.#lateText !== "") out += this.#delta("text", this.#lateText) + this.#close();
    const reason = stopReason(this.#finish, this.#firstCall !== null, this.#refused);
    const usage = this.#counts === null ? { output_tokens: 0 } : messageUsage(this.#counts);
    return (
      out +
      event({ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage }) +
      messageStop(this.#rules.served)
    );
  }

  override failed(error: ApiError): string {
    return messageErrorFrame(error);
  }

  #start(): string {
    this.#started = true;
    const { stem, model, promptTokens } = this.#rules;
    return event({
      type: "message_start",
      message: {
        id: `msg_${stem}`,
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: promptTokens,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 0,
        },
      },
    });
  }

  /** Opens a block without text for sealed thoughts, unless an open thinking block can be signed with them. */
  #sign(details: readonly Fields[]): string {
    const isSealed = details.some((detail) => sealOf(detail) !== "");
    if (!isSealed || this.#open === "thinking") return "";
    return this.#close() + this.#begin("thinking", blockOf("thinking"));
  }

  /** Writes a block without text before text or a call if there are thoughts that have not signed a block. */
  #signSilently(called: boolean): string {
    if (this.#open === "thinking") return "";
    const details = this.#thoughts.take();
    if (!isSilentBlock(details, this.#rules, called)) return "";
    return this.#close() + this.#begin("thinking", blockOf("thinking")) + this.#close(details);
  }

  /** Text that arrives while a call is open waits until the end. */
  #say(text: string): string {
    if (text === "") return "";
    if (this.#firstCall === null) return this.#delta("text", text);
    this.#lateText += text;
    return "";
  }

  /** Put together as text: a stream has hundreds of them. */
  #delta(kind: "text" | "thinking", text: string): string {
    const opening = this.#open === kind ? "" : this.#close() + this.#begin(kind, blockOf(kind));
    const delta = `{"type":"${kind}_delta","${kind}":${JSON.stringify(text)}}`;
    const json = `{"type":"content_block_delta","index":${this.#blocks - 1},"delta":${delta}}`;
    return opening + frame("content_block_delta", json);
  }

  #openCall(index: number, id: string, name: string): string {
    const called = this.#rules.names.find(name).name;
    return this.#close() + this.#begin(index, { type: "tool_use", id, name: called, input: {} });
  }

  #arguments(text: string): string {
    if (text === "") return "";
    const delta = { type: "input_json_delta", partial_json: text };
    return event({ type: "content_block_delta", index: this.#blocks - 1, delta });
  }

  #begin(kind: "text" | "thinking" | number, block: object): string {
    this.#open = kind;
    this.#blocks += 1;
    return event({ type: "content_block_start", index: this.#blocks - 1, content_block: block });
  }

  /** `details`: what signs a thinking block. */
  #close(details?: readonly Fields[]): string {
    if (this.#open === null) return "";
    const signed =
      this.#open === "thinking"
        ? event({
            type: "content_block_delta",
            index: this.#blocks - 1,
            delta: { type: "signature_delta", signature: signatureFor(details ?? this.#thoughts.take()) },
          })
        : "";
    this.#open = null;
    return signed + event({ type: "content_block_stop", index: this.#blocks - 1 });
  }
}

const blockOf = (kind: "text" | "thinking") =>
  kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };

/** Passes on the events of a member that speaks the format, with the model name that the client requested. */
export class ForwardedMessageWriter implements StreamWriter {
  readonly #model: string;
  readonly #served: ServicePool;
  #usage: Usage | null = null;

  constructor(model: string, served: ServicePool) {
    this.#model = JSON.stringify(model);
    this.#served = served;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  chunk({ event: type = "", text, usage }: Chunk): string {
    if (usage) this.#usage = usage;
    if (type !== "message_start") return frame(type, text);
    const message = membersOf(text).find(({ key }) => key === "message");
    if (message === undefined) return frame(type, text);
    // A member that is itself a gateway may report what the call cost there.
    const changes = { model: this.#model, service_pool: undefined };
    const renamed = withMembers(text.slice(message.valueStart, message.end), changes);
    return frame(type, withMembers(text, { message: renamed }));
  }

  done(): string {
    return messageStop(this.#served);
  }

  failed(error: ApiError): string {
    return messageErrorFrame(error);
  }
}

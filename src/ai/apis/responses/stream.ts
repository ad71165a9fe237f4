// Writes Responses API streams: item by item from chat completion chunks, and event by event from a member that speaks the format. The
// event that closes an item contains the whole item, and the last event repeats all of them. Source:
// platform.openai.com/docs/api-reference/responses-streaming

import { AnswerThoughts } from "#ai/apis/answer-thoughts.ts";
import type { StreamWriter } from "#ai/apis/api-request.ts";
import type { AnswerPicture, ChatPiece, Counts } from "#ai/apis/chat-answer.ts";
import { PieceWriter } from "#ai/apis/piece-writer.ts";
import type { ToolName } from "#ai/apis/tool-names.ts";
import type { ServicePool } from "#ai/stream/sse-writer.ts";
import { membersOf, withMembers } from "#contract/json-text.ts";
import type { Fields } from "#contract/normalise.ts";
import type { ApiError, Chunk, Usage } from "#providers/provider.ts";
import { append } from "#providers/translate/append.ts";
import { parseJson } from "#providers/translate/json.ts";
import { callSignature, isUnsealed } from "#providers/translate/unsealed-thoughts.ts";
import {
  callIdsOf,
  callItem,
  ending,
  envelope,
  type Item,
  includedDetails,
  linkText,
  messageItem,
  pictureItem,
  type ResponseRules,
  reasoningItem,
  refusalPart,
  textPart,
} from "./answer.ts";

const frame = (type: string, json: string) => `event: ${type}\ndata: ${json}\n\n`;

/** Numbers the events of one answer. */
export class Sequence {
  #next = 0;

  /** The frame of an event with the next sequence number. */
  event(type: string, fields: object): string {
    return frame(type, JSON.stringify({ type, ...fields, sequence_number: this.#next++ }));
  }

  /** An event with its own number was sent. */
  sent(): void {
    this.#next += 1;
  }

  /** Whether an event was sent. */
  get hasBegun(): boolean {
    return this.#next > 0;
  }

  /**
   * What clients accept as a sign of life: they ignore comments. OpenAI's own clients throw on any event before `response.created`, so only
   * comments may be sent before it.
   */
  keepAlive(): string {
    return this.hasBegun ? this.event("keepalive", {}) : ": keep-alive\n\n";
  }
}

/** Codes that clients react to; they retry after any other failure. */
const knownCodes: readonly (string | null)[] = [
  "context_length_exceeded",
  "insufficient_quota",
  "rate_limit_exceeded",
];

/**
 * The end of a stream that was interrupted or that no member answered; if nothing was sent, it also begins the response. `id`: the response
 * id of the events so far; clients throw on a different one.
 */
export function responseFailed(
  sequence: Sequence,
  rules: ResponseRules,
  { code, message }: ApiError,
  output: readonly Item[] = [],
  id: string | null = null,
): string {
  const error = { code: knownCodes.includes(code) ? code : "server_error", message };
  const begins = sequence.hasBegun
    ? ""
    : sequence.event("response.created", { response: envelope(rules, "in_progress", []) });
  const named = id === null ? {} : { id };
  return (
    begins +
    sequence.event("response.failed", { response: envelope(rules, "failed", output, { error, ...named }) })
  );
}

/** A call whose item is open. */
interface OpenCall {
  at: number;
  tool: ToolName;
  callId: string;
  text: string;
}

/** The open item of text or thoughts. */
interface OpenText {
  kind: "text" | "refusal" | "reasoning";
  at: number;
  text: string;
  /** The log probabilities of a text's tokens. */
  logprobs: Fields[];
}

/** Writes an answer from the chunks of a chat completion. */
export class ResponseWriter extends PieceWriter {
  readonly #rules: ResponseRules;
  readonly #sequence: Sequence;
  readonly #served: ServicePool;
  readonly #idOf: (vendorId: string) => string;
  #counts: Counts | null = null;
  #finish: string | null = null;
  #started = false;
  /** The items by their index; open ones have no value yet. */
  readonly #output: (Item | null)[] = [];
  #open: OpenText | null = null;
  readonly #calls = new Map<number, OpenCall>();
  /** What the client has to send back of the open reasoning item, or of the next one. */
  readonly #thoughts: AnswerThoughts;

  constructor(rules: ResponseRules, sequence: Sequence, served: ServicePool) {
    super();
    this.#rules = rules;
    this.#sequence = sequence;
    this.#served = served;
    this.#thoughts = new AnswerThoughts(rules.maker);
    this.#idOf = callIdsOf(rules.stem);
  }

  protected override write(piece: ChatPiece): string {
    const { text, reasoning, refusal, pictures, calls, finish, counts } = piece;
    this.#thoughts.add(piece);
    this.#counts = counts ?? this.#counts;
    this.#finish = finish ?? this.#finish;
    let out = this.#started ? "" : this.#start();
    if (reasoning !== "" || this.#isSealed(piece)) out += this.#say("reasoning", reasoning);
    if (text !== "") out += this.#say("text", text, piece.logprobs);
    if (refusal !== "") out += this.#say("refusal", refusal);
    for (const picture of pictures) out += this.#picture(picture);
    for (const call of calls) {
      let open = this.#calls.get(call.index);
      if (open === undefined) {
        out += this.#close();
        const tool = this.#rules.names.find(call.name);
        open = { at: this.#output.length, tool, callId: this.#idOf(call.id), text: "" };
        this.#calls.set(call.index, open);
        this.#output.push(null);
        out += this.#added(open.at, this.#callItem(open, "in_progress"));
      }
      open.text += call.arguments;
      // The arguments of other kinds are sent when they are complete, because their form differs.
      if (call.arguments !== "" && open.tool.kind === "function")
        out += this.#sequence.event("response.function_call_arguments.delta", {
          item_id: `fc_${this.#itemId(open.at)}`,
          output_index: open.at,
          delta: call.arguments,
        });
    }
    return out;
  }

  /** Whether a piece contains something that the client requested in sealed form. */
  #isSealed({ details, calls }: ChatPiece): boolean {
    const { maker, body } = this.#rules;
    const signatures = calls.flatMap(({ index, signature }) =>
      signature === "" || maker === undefined ? [] : [callSignature(index, signature, maker)],
    );
    return (
      includedDetails(body, [...details.filter((detail) => !isUnsealed(detail)), ...signatures]).length > 0
    );
  }

  override done(): string {
    let out = this.#started ? "" : this.#start();
    out += this.#close();
    for (const open of this.#calls.values()) out += this.#closeCall(open);
    const { status, more } = ending(this.#finish, this.#counts);
    const response = envelope(this.#rules, status, this.#items(), { ...more, service_pool: this.#served });
    return out + this.#sequence.event(`response.${status}`, { response });
  }

  override failed(error: ApiError): string {
    return responseFailed(this.#sequence, this.#rules, error, this.#items());
  }

  #items(): Item[] {
    return this.#output.filter((item) => item !== null);
  }

  #itemId(at: number): string {
    return `${this.#rules.stem}_${at}`;
  }

  #start(): string {
    this.#started = true;
    const response = envelope(this.#rules, "in_progress", []);
    return (
      this.#sequence.event("response.created", { response }) +
      this.#sequence.event("response.in_progress", { response })
    );
  }

  #added(at: number, item: Item): string {
    return this.#sequence.event("response.output_item.added", { output_index: at, item });
  }

  #ended(at: number, item: Item): string {
    this.#output[at] = item;
    return this.#sequence.event("response.output_item.done", { output_index: at, item });
  }

  /** An image arrives whole: its item begins and ends immediately. */
  #picture(picture: AnswerPicture): string {
    if ("url" in picture) return this.#say("text", linkText([picture]));
    const at = this.#output.length;
    const id = this.#itemId(at);
    const item = pictureItem(id, null);
    const about = { item_id: item.id, output_index: at };
    let out = this.#close();
    this.#output.push(null);
    out += this.#added(at, item);
    for (const step of ["in_progress", "generating", "completed"])
      out += this.#sequence.event(`response.image_generation_call.${step}`, about);
    return out + this.#ended(at, pictureItem(id, picture));
  }

  #callItem({ at, tool, callId, text }: OpenCall, status: "in_progress" | "completed"): Item {
    return callItem(tool, callId, this.#itemId(at), text, status);
  }

  #closeCall(open: OpenCall): string {
    const item = this.#callItem(open, "completed");
    const about = { item_id: item.id, output_index: open.at };
    let out = "";
    if (open.tool.kind === "function")
      out += this.#sequence.event("response.function_call_arguments.done", {
        ...about,
        name: open.tool.name,
        arguments: open.text,
      });
    else if (open.tool.kind === "custom")
      out +=
        this.#sequence.event("response.custom_tool_call_input.delta", { ...about, delta: item.input }) +
        this.#sequence.event("response.custom_tool_call_input.done", { ...about, input: item.input });
    return out + this.#ended(open.at, item);
  }

  /** Adds to the open item of the kind, or closes the open one and begins one. */
  #say(kind: OpenText["kind"], text: string, logprobs: readonly Fields[] = []): string {
    let out = "";
    if (this.#open?.kind !== kind) {
      out += this.#close();
      this.#open = { kind, at: this.#output.length, text: "", logprobs: [] };
      this.#output.push(null);
      out += this.#begin(this.#open);
    }
    const open = this.#open;
    if (open === null || text === "") return out;
    open.text += text;
    append(open.logprobs, logprobs);
    const events = { text: "output_text", refusal: "refusal", reasoning: "reasoning_summary_text" };
    return (
      out +
      this.#sequence.event(`response.${events[kind]}.delta`, {
        ...this.#part(open),
        delta: text,
        ...(kind === "text" ? { logprobs } : {}),
      })
    );
  }

  /** The position of the open part. */
  #part({ kind, at }: OpenText): object {
    const id = `${kind === "reasoning" ? "rs" : "msg"}_${this.#itemId(at)}`;
    const place = kind === "reasoning" ? { summary_index: 0 } : { content_index: 0 };
    return { item_id: id, output_index: at, ...place };
  }

  #begin(open: OpenText): string {
    const { kind, at } = open;
    const id = this.#itemId(at);
    if (kind === "reasoning")
      return (
        this.#added(at, reasoningItem(id, "")) +
        this.#sequence.event("response.reasoning_summary_part.added", {
          ...this.#part(open),
          part: { type: "summary_text", text: "" },
        })
      );
    const part = kind === "text" ? textPart("") : refusalPart("");
    return (
      this.#added(at, messageItem(id, [], "in_progress")) +
      this.#sequence.event("response.content_part.added", { ...this.#part(open), part })
    );
  }

  #close(): string {
    const open = this.#open;
    if (open === null) return "";
    this.#open = null;
    const { kind, at, text, logprobs } = open;
    const id = this.#itemId(at);
    const where = this.#part(open);
    const { event } = bound(this.#sequence);
    if (kind === "reasoning")
      return (
        event("response.reasoning_summary_text.done", { ...where, text }) +
        event("response.reasoning_summary_part.done", { ...where, part: { type: "summary_text", text } }) +
        this.#ended(at, reasoningItem(id, text, includedDetails(this.#rules.body, this.#thoughts.take())))
      );
    const part = kind === "text" ? textPart(text, logprobs) : refusalPart(text);
    const whole =
      kind === "text"
        ? event("response.output_text.done", { ...where, text, logprobs })
        : event("response.refusal.done", { ...where, refusal: text });
    return (
      whole +
      event("response.content_part.done", { ...where, part }) +
      this.#ended(at, messageItem(id, [part], "completed"))
    );
  }
}

const bound = (sequence: Sequence) => ({
  event: (type: string, fields: object) => sequence.event(type, fields),
});

/** Passes on the events of a member that speaks the format, with the model name that the client requested. */
export class ForwardedResponseWriter implements StreamWriter {
  readonly #rules: ResponseRules;
  readonly #sequence: Sequence;
  readonly #model: string;
  readonly #served: ServicePool;
  #usage: Usage | null = null;
  /** The last event: it is sent, with the cost of the call, when the stream is known to be complete. */
  #last: { type: string; text: string } | null = null;
  /** The member's own response id; null if it has not sent one. */
  #id: string | null = null;

  constructor(rules: ResponseRules, sequence: Sequence, served: ServicePool) {
    this.#rules = rules;
    this.#sequence = sequence;
    this.#served = served;
    this.#model = JSON.stringify(rules.model);
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  chunk({ event: type = "", text, usage, finish }: Chunk): string {
    if (usage) this.#usage = usage;
    this.#sequence.sent();
    if (!finish) return frame(type, this.#renamed(type, text));
    this.#last = { type, text };
    return "";
  }

  /** `served`: the field of the last event. A member that is itself a gateway may report what the call cost there. */
  #renamed(type: string, text: string, served?: string): string {
    if (!/^response\.(created|queued|in_progress|completed|incomplete)$/.test(type)) return text;
    const response = membersOf(text).find(({ key }) => key === "response");
    if (response === undefined) return text;
    const whole = text.slice(response.valueStart, response.end);
    if (this.#id === null) this.#id = idIn(whole);
    const renamed = withMembers(whole, { model: this.#model, service_pool: served });
    return withMembers(text, { response: renamed, service_pool: undefined });
  }

  done(): string {
    if (this.#last === null) return "";
    const { type, text } = this.#last;
    return frame(type, this.#renamed(type, text, JSON.stringify(this.#served)));
  }

  failed(error: ApiError): string {
    return responseFailed(this.#sequence, this.#rules, error, [], this.#id);
  }
}

/** The id of a response as JSON text; null if it has none. */
function idIn(response: string): string | null {
  const found = membersOf(response).findLast(({ key }) => key === "id");
  const id = found === undefined ? null : parseJson(response.slice(found.valueStart, found.end));
  return typeof id === "string" ? id : null;
}

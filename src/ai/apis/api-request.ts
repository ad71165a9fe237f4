// The seam between the APIs that clients speak and the one way of a completion: a request of an API is written as a chat
// completion for members without that API, and answers are written back. Members, failover, the commit rule, health,
// limits and usage do not know the APIs, except that a member which speaks the request's format gets it as it came, and
// answers in that format.

import type { ServicePool } from "#ai/stream/sse-writer.ts";
import type { ApiError, Chunk, ClientFormat, PreparedRequest, Usage } from "#providers/provider.ts";

type Body = Readonly<Record<string, unknown>>;

/** The request as a chat completion. */
export interface ChatForm {
  kind: "chat";
  /** JSON text of `body`. */
  text: string;
  body: Body;
  /** The same with the marks after which a prompt is cached, for members that take them; absent: there are none. */
  marked?(): { text: string; body: Body };
}

/** How an answer is written. */
export interface AnswerRules {
  /** The `model` of the answer. */
  model: string;
  /** Epoch seconds. */
  created: number;
  served: ServicePool;
  /** Estimated tokens of the input, for APIs that tell them before the answer. */
  promptTokens: number;
  /** Who gets the thoughts of the answer back that were not sealed; absent: they are not handed over for that. */
  maker?: string;
}

/** Writes one stream to the client, from a member's chunks. */
export interface StreamWriter {
  /** The usage that the stream has reported so far. */
  readonly usage: Usage | null;
  /** The text to send for a chunk; may be empty. */
  chunk(chunk: Chunk): string;
  /** Ends a complete stream. */
  done(): string;
  /** Ends a stream that broke off, so that it never looks complete. */
  failed(error: ApiError): string;
}

/** One request of a client API. */
export interface ApiRequest {
  format: ClientFormat;
  /** The client's headers that are forwarded to a member of the format, in lower case. */
  headers: Readonly<Record<string, string>>;
  /** What the request asks for, named as in chat completions, for estimating its tokens. */
  estimated: Body;
  /**
   * The parameters under their names in chat completions, so that members which refused one are passed over; null if they are
   * known after translation alone.
   */
  parameters: Body | null;
  /** Parameters of the chat completion that a member which refuses them is asked without. */
  optional: ReadonlySet<string>;
  /** Answers name the model as the request did, even if the pool would name another. */
  echoesModel: boolean;
  /** The request as a chat completion, made when a member first needs it; or what has no form in one. */
  chat(): ChatForm | Extract<PreparedRequest, { kind: "unsupported_parameter" }>;
  /** What `chat` left out, by name; empty before it was called. */
  leftOut(): readonly string[];
  /** A whole answer. `forwarded`: the text is in the API's format, else it is a chat completion. */
  answer(text: string, forwarded: boolean, rules: AnswerRules): string;
  writer(rules: AnswerRules, forwarded: boolean): StreamWriter;
  /** Ends a stream whose headers are sent before any member has answered. `served`: the member of the error. */
  failed(error: ApiError, served: ServicePool | null): string;
  /** What a silent stream sends so that its client stays; absent: a comment. */
  keepAlive?(): string;
  /**
   * It is passed on to members that have its path, and never translated. `isWhole`: its answers are no streams. Absent: it has a
   * form as a chat completion.
   */
  passedOn?: { path: string; isWhole: boolean };
  /** The media type of its streams; absent: server-sent events. */
  streamType?: string;
}

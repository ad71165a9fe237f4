// The boundary between the client APIs and the processing of completions: a request of an API is translated to a chat completion for
// members that do not speak that API, and their answers are translated back. Members, failover, the commit rule, health, limits and usage
// do not depend on the APIs, with one exception: a member that speaks the request's format receives it unchanged and answers in that
// format.

import type { ServicePool } from "#ai/stream/sse-writer.ts";
import type { FrameRun } from "#providers/frame-run.ts";
import type { ApiError, Chunk, ClientFormat, PreparedRequest, Usage } from "#providers/provider.ts";

type Body = Readonly<Record<string, unknown>>;

/** The request as a chat completion. */
export interface ChatForm {
  kind: "chat";
  /** JSON text of `body`. */
  text: string;
  body: Body;
  /** The same, including prompt caching marks, for members that accept them; absent if there are none. */
  marked?(): { text: string; body: Body };
}

/** How an answer is written. */
export interface AnswerRules {
  /** The `model` of the answer. */
  model: string;
  /** Epoch seconds. */
  created: number;
  served: ServicePool;
  /** Estimated input tokens, for APIs that report them before the answer. */
  promptTokens: number;
  /** Who gets the answer's unsealed thoughts back; absent if the client should not receive them for that purpose. */
  maker?: string;
}

/** Writes one stream to the client from a member's chunks. */
export interface StreamWriter {
  /** The usage that the stream has reported so far. */
  readonly usage: Usage | null;
  /** The text to send for a chunk; may be empty. */
  chunk(chunk: Chunk): string;
  /** The same for all chunks of a run; absent if it needs each of them. */
  run?(run: FrameRun): string;
  /** Ends a complete stream. */
  done(): string;
  /** Ends an interrupted stream in a way that it never looks complete. */
  failed(error: ApiError): string;
}

/** One request of a client API. */
export interface ApiRequest {
  format: ClientFormat;
  /** The client's headers that are forwarded to a member of the format, in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The request's features, named as in chat completions, for the token estimate. */
  estimated: Body;
  /**
   * The parameters under their chat completion names, so that members that refused one can be skipped; null if they are known only after
   * translation.
   */
  parameters: Body | null;
  /** Chat completion parameters that are dropped for a member that refuses them. */
  optional: ReadonlySet<string>;
  /** Answers use the model name of the request, even if the pool would use another one. */
  echoesModel: boolean;
  /** The request as a chat completion, translated when a member first needs it, or an issue if it cannot be translated. */
  chat(): ChatForm | Extract<PreparedRequest, { kind: "unsupported_parameter" }>;
  /** The names of what `chat` left out; empty before it was called. */
  leftOut(): readonly string[];
  /** Writes a whole answer. `forwarded`: the text is in the API's format; otherwise it is a chat completion. */
  answer(text: string, forwarded: boolean, rules: AnswerRules): string;
  writer(rules: AnswerRules, forwarded: boolean): StreamWriter;
  /** Ends a stream whose headers were sent before any member answered. `served`: the member that the error belongs to. */
  failed(error: ApiError, served: ServicePool | null): string;
  /** What is sent in a silent stream to keep the client connected; absent for a comment. */
  keepAlive?(): string;
  /**
   * The request is forwarded to members that have its path and is never translated. `isWhole`: its answers are not streamed. Absent if it
   * can be translated to a chat completion.
   */
  passedOn?: { path: string; isWhole: boolean };
  /** The media type of its streams; absent: server-sent events. */
  streamType?: string;
}

// The contract of an AI provider: how a chat completion in OpenAI's form becomes its vendor's request, and how
// the vendor's answer, whole or streamed, becomes OpenAI's again. Pure: an adapter builds requests and reads
// answers, and never calls anybody. An adapter is one file with a `defineProvider({...})`, one line in
// `registry.ts`, and one test that feeds recorded wire traffic to the shared conformance suite.

import { z } from "zod";

/** A request of a caller, on its way to one member. */
export interface ChatRequest {
  /** The body as it came: JSON text of an object. What is passed on is made from this, byte by byte. */
  text: string;
  /** The same, parsed; never changed. */
  body: Readonly<Record<string, unknown>>;
  /** What the member calls the model. */
  model: string;
  stream: boolean;
}

/** An HTTP request to a vendor. The headers hold its key and go nowhere else. */
export interface VendorRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** An answer that is made here instead of being asked for: the sandbox's. */
export interface SimulatedResponse {
  status: number;
  contentType: string;
  /** Pieces of the body; `waitMs` before each; `cut`: the connection breaks there. */
  pieces: readonly ({ waitMs: number; text: string } | { waitMs: number; cut: true })[];
}

/** `unsupported_parameter`: the vendor has nothing for a parameter; another member may. `param` is its name in the request. */
export type PreparedRequest =
  | { kind: "request"; request: VendorRequest }
  | { kind: "simulated"; answer: SimulatedResponse }
  | { kind: "unsupported_parameter"; param: string; message: string };

/** Tokens as the vendor counted them. */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
}

/** OpenAI's error object, whole. */
export interface ApiError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

/**
 * What a vendor's answer other than a completion means.
 * - `invalid_request`: the request is at fault; returned as it is. `context_length`: too long for this model. `content_policy`: refused for its content.
 * - `unsupported`: this member cannot serve this request, and another may; nothing about it says how the member is.
 * - `rate_limited`: too many requests for the model; the member's model rests for `retryAfterMs` (null: it did not say).
 * - `unauthorized`: the member's own credentials, balance or permission; it rests long. The caller never sees its words.
 * - `model_not_found`: the member does not have this model.
 * - `upstream_error`: everything that another try, or another member, may do better.
 */
export interface Failure {
  kind:
    | "invalid_request"
    | "context_length"
    | "content_policy"
    | "unsupported"
    | "rate_limited"
    | "unauthorized"
    | "model_not_found"
    | "upstream_error";
  /** The vendor's status; 200 for an error inside a 200. */
  status: number;
  retryAfterMs: number | null;
  /** Fit for the caller: without keys, without addresses, without what the vendor says of the pool's own access. */
  error: ApiError;
  /**
   * What happened, for the pool's owner alone (log and webhook): the vendor's words on a refused key, the address
   * that was not reached. Without keys. Absent: the error's message says it all.
   */
  detail?: string;
}

/** A whole completion: OpenAI's JSON text. `output`: there is something in it (text, a tool call, a refusal, reasoning). */
export type ParsedAnswer =
  | { kind: "answer"; text: string; output: boolean; usage: Usage | null }
  | { kind: "failure"; failure: Failure };

/** One chunk of a stream: OpenAI's `chat.completion.chunk` as JSON text. */
export interface Chunk {
  kind: "chunk";
  text: string;
  /** Whether it holds real output; roles, pings and empty deltas do not count. */
  output: boolean;
  /** Whether it finishes a choice. */
  finish: boolean;
  /** Set where the chunk tells the usage. */
  usage: Usage | null;
  /** It tells the usage and nothing else: OpenAI's extra chunk with no choices. */
  usageOnly: boolean;
  /** UTF-16 units of text, reasoning and calls in it: the estimate of a stream whose usage is never told. */
  units: number;
}

export type StreamPiece = Chunk | { kind: "done" } | { kind: "failure"; failure: Failure };

/** A server-sent event. */
export interface VendorEvent {
  event: string | null;
  data: string;
}

/** Reads one stream. Anything that is not understood is a `failure` of kind `upstream_error`, never thrown. */
export interface StreamReader {
  push(event: VendorEvent): StreamPiece[];
  /** Where a stream can hold several choices: whether one of them has not finished. */
  missing?(): boolean;
}

export interface ProviderDefinition<Settings extends z.ZodObject = z.ZodObject> {
  kind: string;
  title: string;
  /** One sentence for the reference page. */
  summary: string;
  /** Validated on save; `secret()` fields are masked wherever settings are shown. */
  settings: Settings;
  /** URLs inside the settings that the outbound guard has to allow before they are saved. */
  urls(settings: z.output<Settings>): string[];
  chat(request: ChatRequest, settings: z.output<Settings>): PreparedRequest;
  /** A 2xx that was not streamed. */
  answer(text: string, request: ChatRequest): ParsedAnswer;
  stream(request: ChatRequest): StreamReader;
  /** Any other status. `text`: the body, at most 64 KiB of it. `now`: epoch ms, for dates in headers. */
  failure(status: number, headers: Readonly<Record<string, string>>, text: string, now: number): Failure;
  /** Embeddings in OpenAI's form; absent: the kind has none. */
  embeddings?(request: Omit<ChatRequest, "stream">, settings: z.output<Settings>): PreparedRequest;
  embeddingsAnswer?(text: string, request: Omit<ChatRequest, "stream">): ParsedAnswer;
  /** Costs no tokens and says whether the vendor is there; null: it has no such thing. */
  check(settings: z.output<Settings>): VendorRequest | null;
}

/** A definition with its settings type closed inside, so that the registry is a plain list. */
export interface Provider {
  kind: string;
  title: string;
  summary: string;
  settings: z.ZodObject;
  embeds: boolean;
  urls(settings: unknown): string[];
  chat(request: ChatRequest, settings: unknown): PreparedRequest;
  answer(text: string, request: ChatRequest): ParsedAnswer;
  stream(request: ChatRequest): StreamReader;
  failure(status: number, headers: Readonly<Record<string, string>>, text: string, now: number): Failure;
  embeddings(request: Omit<ChatRequest, "stream">, settings: unknown): PreparedRequest;
  embeddingsAnswer(text: string, request: Omit<ChatRequest, "stream">): ParsedAnswer;
  check(settings: unknown): VendorRequest | null;
}

/** Closes a provider definition. `settings` handed to its functions must have passed its schema. */
export function defineProvider<Settings extends z.ZodObject>(
  definition: ProviderDefinition<Settings>,
): Provider {
  type Parsed = z.output<Settings>;
  const none: PreparedRequest = {
    kind: "unsupported_parameter",
    param: "model",
    message: `Providers of kind ${definition.kind} have no embeddings.`,
  };
  return {
    kind: definition.kind,
    title: definition.title,
    summary: definition.summary,
    settings: definition.settings,
    embeds: definition.embeddings !== undefined,
    urls: (settings) => definition.urls(settings as Parsed),
    chat: (request, settings) => definition.chat(request, settings as Parsed),
    answer: definition.answer,
    stream: definition.stream,
    failure: definition.failure,
    embeddings: (request, settings) => definition.embeddings?.(request, settings as Parsed) ?? none,
    embeddingsAnswer: (text, request) => {
      if (definition.embeddingsAnswer) return definition.embeddingsAnswer(text, request);
      throw new Error(`Providers of kind ${definition.kind} have no embeddings.`);
    },
    check: (settings) => definition.check(settings as Parsed),
  };
}

/** A settings field that is sealed at rest and masked wherever it is shown. */
export function secret() {
  return z.string().min(1).meta({ secret: true });
}

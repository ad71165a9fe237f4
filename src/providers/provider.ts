// The contract of an AI provider adapter: it translates OpenAI's chat completions into requests of its vendor, and
// the vendor's answers and streams back. Pure: an adapter builds requests and parses answers, and performs no I/O.
// An adapter is one file with a `defineProvider({...})`, one line in `registry.ts`, and one test that feeds recorded
// wire traffic to the shared conformance suite.

import type { z } from "zod";
import type { OpenAiError as ApiError } from "#contract/ai/openai-error.ts";
import type { ClientFormat, Form, ForwardedOperation } from "#contract/ai/operations.ts";
import type { ListedVendor } from "#providers/prices/list-price.ts";
import type { ThoughtForm } from "#providers/translate/thought-forms.ts";
import type { AwsKey } from "#settings/aws-signature.ts";
import type { FrameRun } from "./frame-run.ts";
import type { TokenGrant } from "./token-grant.ts";

/** A client's request to one member. */
export interface ChatRequest {
  /** The JSON text as received. Passthrough requests are derived from it byte by byte. */
  text: string;
  /** The parsed body; never modified. */
  body: Readonly<Record<string, unknown>>;
  /** The member's name of the model. */
  model: string;
  stream: boolean;
  /** Parameters that this model refused before. If possible, they are left out of the request (`translate/hints.ts`). */
  refused?: readonly string[];
  /** Identifies the member in unsealed thoughts of its answer; absent if they are not handed to the client. */
  maker?: string;
}

/** A request of a forwarded operation to one member. */
interface ForwardRequest extends Omit<ChatRequest, "stream" | "refused" | "maker"> {
  /** The caller's form; null if the request is `text`. */
  form: Form | null;
}

/** The body of a 2xx that is passed on. */
export interface VendorAnswer {
  bytes: Buffer;
  /** The Content-Type header. Empty if the answer lacks it. */
  contentType: string;
}

/** A parameter that a vendor refused. `valueOnly`: its value in the request; otherwise the parameter as a whole. */
export interface RefusedParameter {
  name: string;
  valueOnly: boolean;
}

/** An HTTP request to a vendor. Its headers contain the API key, which appears nowhere else. */
export interface VendorRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
  /** Signs the request when it is sent (`sentRequest`), since the signature includes the time. Absent if the headers are complete. */
  awsKey?: AwsKey;
  /** The request is sent with an access token obtained with this grant. Absent if the headers are complete. */
  tokenGrant?: TokenGrant;
}

/** A response generated here instead of requested: the sandbox's. */
export interface SimulatedResponse {
  status: number;
  contentType: string;
  /** Pieces of the body, each sent after `waitMs`; `cut`: the connection is closed there. */
  pieces: readonly ({ waitMs: number; text: string } | { waitMs: number; cut: true })[];
}

/**
 * `unsupported_parameter`: the vendor lacks the parameter `param` of the request; another member may have it. `adapted`: parameters that
 * are expressed differently for the vendor, such as an instruction in place of a forced tool.
 */
export type PreparedRequest =
  | { kind: "request"; request: VendorRequest; adapted?: readonly string[] }
  | { kind: "simulated"; answer: SimulatedResponse }
  | { kind: "unsupported_parameter"; param: string; message: string };
export type { ClientFormat } from "#contract/ai/operations.ts";
export type { ApiError };

/** A client's request in a vendor's own format, to a member that speaks it. */
export interface NativeRequest {
  /** The JSON text as received: it is forwarded, not rebuilt. */
  text: string;
  /** The parsed body; never modified. */
  body: Readonly<Record<string, unknown>>;
  /** The member's name of the model. */
  model: string;
  stream: boolean;
  /** The client's headers that are forwarded to a member of its format, in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Sealed reasoning in the request that the member cannot open because another one made it: it is left out. */
  foreign?: ReadonlySet<string>;
}

/** Reasoning that the vendor sealed: clients send it back, and only members that can open it may receive it. */
export interface SealedReasoning {
  /** Names the group of members that can open each other's seals; null if only the member itself can. */
  sharedBy: string | null;
  /** The parameter that it is a part of. */
  field: string;
  /** Values that a request brings back and that can be left out, the newest last. */
  in(body: NativeRequest["body"]): readonly string[];
  /** Values that a request brings back and that cannot be left out, such as a compacted conversation; absent if there are none. */
  essential?(body: NativeRequest["body"]): readonly string[];
  /** It signs all thoughts: plain ones are another member's. */
  signsAll?: true;
  /** The new values in the text of an answer or of a chunk. */
  made(text: string): readonly string[];
  /** The same for the chunks of one stream, in order, if thoughts arrive in pieces; absent if they do not. */
  madeInPieces?(): (text: string) => readonly string[];
  /** Whether the failure says that the member could not open something in the request. */
  isRefusal(failure: Failure): boolean;
}

/** How a member accepts requests in a vendor's own format. The texts of answers and chunks stay in that format. */
export interface NativeApi {
  prepare(request: NativeRequest): PreparedRequest;
  /** Parses a 2xx that is not a stream. */
  answer(text: string): ParsedAnswer;
  /** The chunks' texts are the data of the vendor's events, and `event` is their name. */
  stream(): StreamReader;
  /** The whole answer that the chunks of a complete stream amount to, as JSON text in the format. */
  fold(chunks: readonly Chunk[]): { text: string; usage: Usage | null };
  /** The server-sent events of a stream equivalent to the whole answer: some servers answer whole although a stream was requested. */
  unfold(text: string): string;
  /** Absent if the format has none. */
  sealed?: SealedReasoning;
  /** The vendor documents the API, but this server or model may lack it: refused requests are sent as chat completions. */
  assumed?: true;
  /** A request for the number of its input tokens, which costs nothing; the answer has `input_tokens`. */
  countTokens?(request: NativeRequest): VendorRequest;
}

/** Token counts as the vendor reported them. */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** Prompt tokens read from a cache, and written to one; absent if none or not reported. */
  cachedTokens?: number;
  cacheWriteTokens?: number;
  /** Written tokens that are cached for an hour, which costs more; absent if none or not reported. */
  cacheWriteHourTokens?: number;
}

/**
 * What a vendor's error means.
 * - `invalid_request`: the request is at fault; the error is returned unchanged. `context_length`: the prompt
 *   is too long for this model. `content_policy`: the vendor rejected the content.
 * - `unsupported`: this member cannot serve this request, another may; it says nothing about the member's
 *   health.
 * - `rate_limited`: too many requests; the member's model cools down for `retryAfterMs` (null if not given).
 * - `unauthorized`: the member's credentials, balance or permission are refused; the member gets a long
 *   cooldown. Clients never see the vendor's message.
 * - `model_not_found`: the member does not have this model.
 * - `upstream_error`: everything that a retry or another member may do better.
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
  /** Safe for clients: without keys, addresses, or the vendor's message about the pool's own access. */
  error: ApiError;
  /**
   * Details only for the pool's owner (log and webhook), such as the vendor's message about a refused key, or the address that could not be
   * reached. Without keys. Absent if `error.message` says it all.
   */
  detail?: string;
  /** For `unsupported`: what the vendor named as the reason. */
  refused?: RefusedParameter;
  /**
   * For `upstream_error`: the request may be the cause, for example a call that the model cannot write or an answer beyond the gateway's
   * limits. Another member is called, and the health of this one does not change.
   */
  ignoredByHealth?: true;
  /** For `unsupported`: the model accepts function tools only in another API of the vendor. */
  toolsApiRequired?: true;
  /** For `unsupported`: the maximum answer tokens of the model, if the request allows more. */
  outputLimit?: number;
}

/**
 * A whole completion as OpenAI's JSON text. `output`: it contains text, a tool call, a refusal or reasoning. `media`: the answer is not
 * JSON and is passed on as these bytes.
 */
export type ParsedAnswer =
  | { kind: "answer"; text: string; output: boolean; usage: Usage | null; media?: VendorAnswer }
  | { kind: "failure"; failure: Failure };

/** One `chat.completion.chunk` of OpenAI as JSON text; for a native format, one event. */
export interface Chunk {
  kind: "chunk";
  text: string;
  /** The event's name; only for native formats. */
  event?: string;
  /** It contains real output; roles, pings and empty deltas do not count. */
  output: boolean;
  /** It finishes a choice. */
  finish: boolean;
  /** Set if the chunk reports usage. */
  usage: Usage | null;
  /** It reports only usage: OpenAI's extra chunk without choices. */
  usageOnly: boolean;
  /** UTF-16 units of text, reasoning and calls in it, for the estimate if the stream reports no usage. */
  units: number;
  /** It represents many chunks, and `text` is empty. Only `complete.ts` accepts such chunks. */
  run?: FrameRun;
}

export type StreamPiece = Chunk | { kind: "done" } | { kind: "failure"; failure: Failure };

/** A server-sent event. */
export interface VendorEvent {
  event: string | null;
  data: string;
}

/** Reads one stream. Malformed input is a `failure` of kind `upstream_error`, never an exception. */
export interface StreamReader {
  /** Empty for an event without content, such as a ping: it shows that the vendor keeps the connection open. */
  push(event: VendorEvent): StreamPiece[];
  /**
   * Whether a reasoning item or a thinking block has begun and not ended, during which the model may be silent for minutes. Absent if the
   * vendor's streams do not show this.
   */
  thinking?(): boolean;
  /** Whether a finished stream without output is an answer: the vendor counted tokens of it. Absent if it never is. */
  mayBeEmpty?(): boolean;
  /** Whether a choice is still unfinished; absent if the vendor's streams have one choice. */
  missing?(): boolean;
  /** Frames that differ from one that was pushed in the text of the delta alone change no state and need not be pushed. */
  allowsRuns?: true;
}

/** Another API of a vendor, in which it answers chat completions with function tools. */
export interface ToolsApi {
  /** Every request with function tools is sent there; otherwise only those for models that refused them. */
  always: boolean;
  /** Known only from the vendor's documentation: this server or model may lack it. */
  assumed?: true;
  chat(request: ChatRequest): PreparedRequest;
  answer(text: string, request: ChatRequest): ParsedAnswer;
  stream(request: ChatRequest): StreamReader;
  failure(status: number, headers: Readonly<Record<string, string>>, text: string, now: number): Failure;
}

interface ProviderDefinition<Settings extends z.ZodObject = z.ZodObject> {
  kind: string;
  title: string;
  /** One sentence for the reference page. */
  summary: string;
  /** Validated on save; `secret()` fields are masked wherever settings are shown. */
  settings: Settings;
  /** URLs in the settings that the outbound guard checks before they are saved. */
  urls(settings: z.output<Settings>): string[];
  chat(request: ChatRequest, settings: z.output<Settings>): PreparedRequest;
  /** Parses a 2xx that is not a stream. */
  answer(text: string, request: ChatRequest): ParsedAnswer;
  stream(request: ChatRequest): StreamReader;
  /** Interprets any other status. `text`: at most 64 KiB of the body. `now`: epoch ms, for dates in headers. */
  failure(status: number, headers: Readonly<Record<string, string>>, text: string, now: number): Failure;
  /** Embeddings in OpenAI's form; absent if the provider has none. */
  embeddings?(request: Omit<ChatRequest, "stream">, settings: z.output<Settings>): PreparedRequest;
  embeddingsAnswer?(text: string, request: Omit<ChatRequest, "stream">): ParsedAnswer;
  /**
   * Maximum number of texts that it embeds in one request; more are sent in several. `embeddingsAnswer` writes each answer. Absent if there
   * is no maximum.
   */
  maxEmbedded?: number;
  /** Operations whose requests and answers are passed on unchanged; absent if the provider has none. */
  forward?: {
    operations: readonly ForwardedOperation[];
    request(
      operation: ForwardedOperation,
      request: ForwardRequest,
      settings: z.output<Settings>,
    ): PreparedRequest;
    /** Reads the answer of a 2xx. */
    answer(operation: ForwardedOperation, answer: VendorAnswer): ParsedAnswer;
  };
  /** How it accepts requests to a model in a vendor's own format; null if it does not. Absent if it has only chat completions. */
  native?(format: ClientFormat, settings: z.output<Settings>, model: string): NativeApi | null;
  /** The API for chat completions with function tools that are refused elsewhere; null or absent if there is none. */
  toolsApi?(settings: z.output<Settings>): ToolsApi | null;
  /** Names the group of members that can open each other's seals in chat completions; null or absent if only the member itself can. */
  sealGroup?(settings: z.output<Settings>): string | null;
  /** How it accepts thoughts back that it did not seal; absent if it does not. */
  thoughts?: ThoughtForm;
  /** The vendor whose members receive unsealed thoughts back; null or absent for those at the same address. */
  vendor?(settings: z.output<Settings>): string | null;
  /** The vendor whose list prices a model has; null or absent if no list price is known. */
  priceVendor?(settings: z.output<Settings>, model: string): ListedVendor | null;
  /**
   * A request for the list of models, which costs no tokens and shows whether the vendor is available. Null if the vendor has none.
   * `range`: one model is enough, or as many as fit on a page.
   */
  check(settings: z.output<Settings>, range: "one" | "all"): VendorRequest | null;
}

/** A definition with its settings type erased, so that the registry is a plain list. */
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
  maxEmbedded: number | undefined;
  /** The operations that it forwards. */
  forwards: readonly ForwardedOperation[];
  forward(operation: ForwardedOperation, request: ForwardRequest, settings: unknown): PreparedRequest;
  forwardAnswer(operation: ForwardedOperation, answer: VendorAnswer): ParsedAnswer;
  /** `model`: the member's name of it. */
  native(format: ClientFormat, settings: unknown, model: string): NativeApi | null;
  toolsApi(settings: unknown): ToolsApi | null;
  sealGroup(settings: unknown): string | null;
  thoughts: ThoughtForm;
  vendor(settings: unknown): string | null;
  priceVendor(settings: unknown, model: string): ListedVendor | null;
  check(settings: unknown, range?: "one" | "all"): VendorRequest | null;
}

/**
 * Erases the settings type. Settings passed to the functions must have passed the schema.
 *
 * @example
 * export const acme = defineProvider({
 *   kind: "acme",
 *   title: "Acme",
 *   summary: "Acme's models.",
 *   settings: z.strictObject({ api_key: secret(), base_url: baseUrlField() }),
 *   urls: ({ base_url }) => [base_url],
 *   chat: (request, settings) => ({ kind: "request", request: requestOf(request, settings) }),
 *   answer: (text) => answerOf(text),
 *   stream: () => new AcmeStream(),
 *   failure: (status, headers, text) => failureOf(status, headers, text),
 *   check: ({ api_key, base_url }) => modelsRequest(base_url, api_key),
 * });
 */
export function defineProvider<Settings extends z.ZodObject>(
  definition: ProviderDefinition<Settings>,
): Provider {
  type Parsed = z.output<Settings>;
  const noEmbeddings: PreparedRequest = {
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
    embeddings: (request, settings) => definition.embeddings?.(request, settings as Parsed) ?? noEmbeddings,
    maxEmbedded: definition.maxEmbedded,
    embeddingsAnswer: (text, request) => {
      if (definition.embeddingsAnswer) return definition.embeddingsAnswer(text, request);
      throw new Error(`Providers of kind ${definition.kind} have no embeddings.`);
    },
    forwards: definition.forward?.operations ?? [],
    forward: (operation, request, settings) =>
      definition.forward?.request(operation, request, settings as Parsed) ?? {
        kind: "unsupported_parameter",
        param: "model",
        message: `Providers of kind ${definition.kind} have no operation ${operation}.`,
      },
    forwardAnswer: (operation, answer) => {
      if (definition.forward) return definition.forward.answer(operation, answer);
      throw new Error(`Providers of kind ${definition.kind} have no operation ${operation}.`);
    },
    native: (format, settings, model) => definition.native?.(format, settings as Parsed, model) ?? null,
    toolsApi: (settings) => definition.toolsApi?.(settings as Parsed) ?? null,
    sealGroup: (settings) => definition.sealGroup?.(settings as Parsed) ?? null,
    thoughts: definition.thoughts ?? null,
    vendor: (settings) => definition.vendor?.(settings as Parsed) ?? null,
    priceVendor: (settings, model) => definition.priceVendor?.(settings as Parsed, model) ?? null,
    check: (settings, range = "one") => definition.check(settings as Parsed, range),
  };
}

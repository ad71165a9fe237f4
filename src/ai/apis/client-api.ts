// What an API is in which clients ask for completions: its paths, how its requests are read, what its errors look like.
// `apis.ts` lists them; routes, the OpenAPI document, error shapes and the page of errors are made from the list.

import type { z } from "zod";
import type { ModelRequest } from "#contract/ai/chat.ts";
import type { OpenAiError } from "#contract/ai/openai-error.ts";
import type { ClientFormat } from "#contract/ai/operations.ts";
import type { Problem } from "#contract/problem.ts";
import type { ApiRequest } from "./api-request.ts";

/** One operation of a client API, for the router and the OpenAPI document. */
export interface ApiOperation {
  /** As OpenAPI writes it; it may name parameters. */
  path: `/${string}`;
  /** Descriptions of the path's parameters. */
  params?: Record<string, z.ZodType>;
  /** OpenAPI's operationId. */
  name: string;
  summary: string;
  description: string;
  body: z.ZodObject;
  reply: z.ZodType;
  /** A complete body. A test sends it. */
  example: object;
  /** What the reply with `stream: true` consists of. Absent for operations without streams. */
  stream?: string;
  /** Its requests may be deferred, by their headers or by what `read` says. */
  deferrable?: true;
  /** It counts the tokens of a request instead of serving it: its answer with that number. */
  counts?(tokens: number): object;
  /** Checks what Trunkline has to understand of a request. `params`: of the path. */
  read(text: string, params: Readonly<Record<string, string>>): ModelRequest | Problem;
}

/** How the errors of an API look. Every error is made as OpenAI's object, and takes its shape where it is written. */
export interface ErrorShape {
  /** Distinguishes the shape's replies in the OpenAPI document. */
  name: string;
  schema: z.ZodType;
  /** The reply with the shape's status, headers and body. `error`: that of the problem's body. */
  shaped(problem: Problem, error: OpenAiError, requestId: string): Problem;
}

/** The HTTP request that an API's request came in. */
export interface Received {
  /** By names in lower case, as Node gives them. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Letters, digits, `_` and `-` that no other request has. */
  stem: string;
  /** Epoch seconds. */
  created: number;
  /** What follows the path. */
  query: URLSearchParams;
  /** It was stored, and is served without a client that waits: its answer is looked up by the id that the stem makes. */
  isDeferred?: true;
}

export interface ClientApi {
  /** Its name, as calls and deferred completions are stored with it. */
  format: ClientFormat;
  /** Errors at this path and below it have the API's shape. */
  path: `/${string}`;
  /** Other paths whose errors have it. */
  alsoAt?: RegExp;
  /** Its clients may send the key in the URL, as the parameter with this name. URLs are in no log. */
  keyParameter?: string;
  /** A header that only its clients send, in lower case: it decides the shape of errors at paths that several APIs have. */
  clientHeader?: string;
  operations: readonly ApiOperation[];
  /** Absent: OpenAI's. */
  errorShape?: ErrorShape;
  /** Where its clients read the id of a request, in answers that are no errors; absent: `X-Request-Id`, which all answers have. */
  requestIdHeader?: string;
  /** The answer to a client that asks for a WebSocket at `path`; absent: as to any other GET. */
  webSocketRefusal?: Problem;
  /** Error codes that this API alone has: status and when, for the page of errors. */
  codes?: Readonly<Record<string, readonly [status: string, when: string]>>;
  /** The answer that the text of a stream adds up to, for the content log. The stream may have been cut anywhere. */
  joinAnswer(text: string): unknown;
  /** OpenTelemetry's `gen_ai.operation.name` for its completions. */
  spanOperation: "chat" | "generate_content" | "text_completion";
  request(read: ModelRequest, received: Received): ApiRequest;
}

/** A row of `apis.ts`, which has the name too. */
export type ClientApiRow = Omit<ClientApi, "format">;

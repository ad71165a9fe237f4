// The description of a client API for completions: its paths, how its requests are read and what its errors look like. `apis.ts` lists the
// APIs; routes, the OpenAPI document, error shapes and the page of errors are generated from that list.

import type { z } from "zod";
import type { ModelRequest } from "#contract/ai/chat.ts";
import type { OpenAiError } from "#contract/ai/openai-error.ts";
import type { ClientFormat } from "#contract/ai/operations.ts";
import type { Problem } from "#contract/problem.ts";
import type { ApiRequest } from "./api-request.ts";

/** One operation of a client API, for the router and the OpenAPI document. */
export interface ApiOperation {
  /** The path in OpenAPI syntax; it may contain parameters. */
  path: `/${string}`;
  /** Descriptions of the path parameters. */
  params?: Record<string, z.ZodType>;
  /** OpenAPI's operationId. */
  name: string;
  summary: string;
  description: string;
  body: z.ZodObject;
  reply: z.ZodType;
  /** A complete example body. A test sends it. */
  example: object;
  /** The parts of the reply with `stream: true`. Absent for operations that do not stream. */
  stream?: string;
  /** Requests may be deferred, by their headers or by what `read` returns. */
  deferrable?: true;
  /** It counts the tokens of a request instead of serving it: builds the answer from the number. */
  counts?(tokens: number): object;
  /** Checks the parts of a request that Trunkline needs to understand. `params`: the path parameters. */
  read(text: string, params: Readonly<Record<string, string>>): ModelRequest | Problem;
}

/** The shape of an API's errors. Every error is created as OpenAI's object and converted to this shape when it is written. */
export interface ErrorShape {
  /** Distinguishes the shape's replies in the OpenAPI document. */
  name: string;
  schema: z.ZodType;
  /** The reply with the status, headers and body of the shape. `error`: the one in the problem's body. */
  shaped(problem: Problem, error: OpenAiError, requestId: string): Problem;
}

/** The HTTP request that carried an API request. */
export interface Received {
  /** Keys are in lower case, as in Node. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Letters, digits, `_` and `-`; unique to the request. */
  stem: string;
  /** Epoch seconds. */
  created: number;
  /** The rest of the path. */
  query: URLSearchParams;
  /** The request was stored and no client waits for it: its answer is looked up by the id derived from the stem. */
  isDeferred?: true;
}

export interface ClientApi {
  /** The name under which calls and deferred completions are stored. */
  format: ClientFormat;
  /** Errors at this path and below it use the API's shape. */
  path: `/${string}`;
  /** Other paths whose errors use it. */
  alsoAt?: RegExp;
  /** The URL parameter in which clients may send the key. URLs are never logged. */
  keyParameter?: string;
  /** A header, in lower case, that only clients of this API send: it selects the error shape at paths that several APIs share. */
  clientHeader?: string;
  operations: readonly ApiOperation[];
  /** Absent for OpenAI's shape. */
  errorShape?: ErrorShape;
  /** The header in which clients read the request id of successful answers; absent for `X-Request-Id`, which every answer has. */
  requestIdHeader?: string;
  /** The answer to a WebSocket request at `path`; absent if it is treated like any other GET. */
  webSocketRefusal?: Problem;
  /** Error codes that only this API has: their status and when they occur, for the page of errors. */
  codes?: Readonly<Record<string, readonly [status: string, when: string]>>;
  /** Assembles the answer from the text of a stream, for the content log. The stream may have been cut anywhere. */
  joinAnswer(text: string): unknown;
  /** OpenTelemetry's `gen_ai.operation.name` for its completions. */
  spanOperation: "chat" | "generate_content" | "text_completion";
  request(read: ModelRequest, received: Received): ApiRequest;
}

/** A row of `apis.ts`, with its name. */
export type ClientApiRow = Omit<ClientApi, "format">;

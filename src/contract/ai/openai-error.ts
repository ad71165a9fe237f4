// Errors of the AI endpoints: OpenAI's object with all four fields, on every path. Nothing else builds one for a caller, so no internal
// detail can leak into one.

import type { Problem } from "#contract/problem.ts";

interface Entry {
  status: number;
  type: string;
  message: string;
  /** For the documentation. */
  when: string;
}

/** Our own errors; a provider's are passed on unchanged. */
export const aiProblems = {
  invalid_api_key: {
    status: 401,
    type: "invalid_request_error",
    message: "The pool key is missing or not valid. Send it as a Bearer token in the Authorization header.",
    when: "The key is missing, malformed, unknown, revoked or expired.",
  },
  malformed_body: {
    status: 400,
    type: "invalid_request_error",
    message: "The body could not be read.",
    when: "The body is not JSON, not UTF-8, not an object, nested deeper than 256 levels, or contains more than 500,000 values.",
  },
  invalid_value: {
    status: 400,
    type: "invalid_request_error",
    message: "The request has a fault.",
    when: "A parameter that Trunkline itself needs is missing or wrong; `param` names it.",
  },
  no_embeddings: {
    status: 400,
    type: "invalid_request_error",
    message: "No member of this pool has embedding models.",
    when: "Embeddings were requested from a pool none of whose members has `embedding_models`.",
  },
  operation_not_served: {
    status: 400,
    type: "invalid_request_error",
    message: "No member of this pool has models for this operation.",
    when: "Images, speech, transcriptions, moderations or reranking were requested from a pool none of whose members lists models for them; the message names the field. Or completions of a text or a compaction were requested from a pool none of whose members supports them.",
  },
  unpriced_model: {
    status: 400,
    type: "invalid_request_error",
    message: "The budget refuses models without a known price.",
    when: "The budget of the key, of its pool or of the account refuses models without a known price (`unpriced: refuse`), and no other member can serve the call. The message names the model.",
  },
  model_not_found: {
    status: 404,
    type: "invalid_request_error",
    message: "The model does not exist or you do not have access to it.",
    when: "The pool is strict and no member of it serves the model, or the key may not use it.",
  },
  completion_not_found: {
    status: 404,
    type: "invalid_request_error",
    message: "There is no such deferred completion.",
    when: "The id is unknown, belongs to another key, or is past its retention.",
  },
  completion_ended: {
    status: 409,
    type: "invalid_request_error",
    message: "The completion has ended; it cannot be cancelled.",
    when: "The deferred completion to cancel has ended.",
  },
  idempotency_mismatch: {
    status: 422,
    type: "invalid_request_error",
    message: "This Idempotency-Key was used for a different request.",
    when: "The `Idempotency-Key` was used for another body within 24 hours.",
  },
  too_many_deferred: {
    status: 429,
    type: "requests",
    message: "Too many deferred completions wait in this pool; try again later.",
    when: "10,000 deferred completions, or 1 GiB of their requests, wait in the pool, or a tenth of that of the key.",
  },
  unknown_url: {
    status: 404,
    type: "invalid_request_error",
    message: "There is nothing at this path.",
    when: "The path does not exist.",
  },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    message: "This path does not take that method.",
    when: "The path exists, but not with this method; `Allow` lists the supported ones.",
  },
  request_timeout: {
    status: 408,
    type: "invalid_request_error",
    message: "The request took too long to arrive.",
    when: "The body took over 30 s. The connection is closed.",
  },
  body_too_large: {
    status: 413,
    type: "invalid_request_error",
    message: "The body is too large.",
    when: "The body, or the number of pieces it is sent in, is over the limit.",
  },
  unsupported_media_type: {
    status: 415,
    type: "invalid_request_error",
    message: "The body must be application/json, and not compressed.",
    when: "The body has another media type, or is compressed.",
  },
  rate_limit_exceeded: {
    status: 429,
    type: "requests",
    message: "The key's limit is used up; try again later.",
    when: "The key's per-minute limit of requests or tokens is exhausted (`type` says which), or every member is at its own limit.",
  },
  concurrency_limit_exceeded: {
    status: 429,
    type: "requests",
    message: "The key has as many requests under way as it may have.",
    when: "The key has reached its limit of concurrent requests.",
  },
  insufficient_quota: {
    status: 429,
    type: "tokens",
    message: "The budget is spent.",
    when: "The budget of the key, of its pool or of the account for the day or the month is spent.",
  },
  server_error: {
    status: 500,
    type: "server_error",
    message: "Something went wrong here; please try again.",
    when: "A fault of the service.",
  },
  unavailable: {
    status: 503,
    type: "server_error",
    message: "The service cannot take requests at the moment; please try again.",
    when: "The key cannot be looked up because the storage is not available, or too many large requests are under way.",
  },
} as const satisfies Record<string, Entry>;
export type AiProblemCode = keyof typeof aiProblems;

/** The `error` of OpenAI's error reply. */
export interface OpenAiError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

/** One of our own errors as OpenAI's object. */
export function openAiError(code: AiProblemCode): OpenAiError {
  const { type, message } = aiProblems[code];
  return { message, type, param: null, code };
}

interface Details {
  message?: string;
  type?: string;
  param?: string | null;
  retryAfterMs?: number;
  allow?: string;
  headers?: Record<string, string>;
}

/** The reply for one of our own errors. */
export function aiProblem(code: AiProblemCode, details: Details = {}): Problem {
  const { status, type, message } = aiProblems[code];
  const error = {
    message: details.message ?? message,
    type: details.type ?? type,
    param: details.param ?? null,
    code,
  };
  const headers = { ...details.headers };
  if (details.allow !== undefined) headers.Allow = details.allow;
  if (code === "invalid_api_key") headers["WWW-Authenticate"] = "Bearer";
  return aiErrorReply(status, error, { headers, retryAfterMs: details.retryAfterMs ?? null });
}

/** Statuses after which a caller may retry; after a second, unless the error says otherwise. */
const transient: readonly number[] = [429, 502, 503, 504, 529];

/** The reply for any error object; `more`: additional fields. */
export function aiErrorReply(
  status: number,
  error: OpenAiError,
  more: { headers?: Record<string, string>; retryAfterMs?: number | null; beside?: object } = {},
): Problem {
  const headers = { ...more.headers };
  if (more.retryAfterMs != null) {
    const ms = Math.max(0, Math.ceil(more.retryAfterMs));
    headers["Retry-After"] = String(Math.max(1, Math.ceil(ms / 1000)));
    headers["retry-after-ms"] = String(ms);
  } else if (transient.includes(status)) headers["Retry-After"] ??= "1";
  return { problem: true, status, headers, body: { error, ...more.beside } };
}

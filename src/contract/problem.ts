// Every error of the channel endpoints: its status, its exact body, and a sentence for the documentation. Nothing else builds an error
// body, so no internal detail can leak into one.

import { errorsByPath, type Issue } from "./issue.ts";

interface Entry {
  status: number;
  /** The default text of `message`. */
  message: string;
  /** For the documentation. */
  when: string;
}

/** The errors of the usual shape (`success`, `message`, `code`). */
export const problems = {
  malformed_body: {
    status: 400,
    message: "The body could not be read.",
    when: "The body is not valid JSON, form data or UTF-8, is nested deeper than 32 levels, or contains too many values (more than 500,000, or than ten for each contact that a request may have); or it is missing or `null` although something is to be changed.",
  },
  malformed_request: {
    status: 400,
    message: "The request could not be read.",
    when: "The request is not valid HTTP, its body's chunks are not, or it has two `Host` or `Authorization` headers.",
  },
  insufficient_credit: {
    status: 402,
    message: "The credit is not enough for this request.",
    when: "The credit does not cover the whole request. Nothing was accepted.",
  },
  unauthenticated: {
    status: 401,
    message: "Sign in, or send a management token.",
    when: "The management API was called without a session or token, or with one that has ended.",
  },
  forbidden: {
    status: 403,
    message: "You do not have permission.",
    when: "The operation needs an operator or a recent sign-in, or the request came from another site. For metrics: the token is missing, or the request did not come directly from the same machine.",
  },
  not_found: {
    status: 404,
    message: "Not found.",
    when: "The path, channel or message does not exist, or the message belongs to another account.",
  },
  method_not_allowed: {
    status: 405,
    message: "This path does not take that method.",
    when: "The path exists, but not with this method; `Allow` lists the supported ones.",
  },
  request_timeout: {
    status: 408,
    message: "The request took too long to arrive.",
    when: "The headers took over 10 s or the body over 30 s. The connection is closed.",
  },
  not_cancellable: {
    status: 409,
    message: "The message can no longer be cancelled.",
    when: "The message is already being sent, or has ended.",
  },
  conflict: {
    status: 409,
    message: "The request conflicts with the current state.",
    when: "The current state prevents the operation, or another change was made first; `message` says what.",
  },
  not_unknown: {
    status: 409,
    message: "The message's outcome is known.",
    when: "Only a message whose status is `unknown` can be sent again or marked.",
  },
  idempotency_in_progress: {
    status: 409,
    message: "A request with this Idempotency-Key is still running.",
    when: "Another request with the same key has not been answered yet.",
  },
  gone: {
    status: 410,
    message: "The file is not kept any more.",
    when: "The provider no longer keeps the file of the received message.",
  },
  body_too_large: {
    status: 413,
    message: "The body is too large.",
    when: "The body, the number of its form fields, or the number of pieces it is sent in is over the limit; without a key in the headers or URL the limit is 2 MiB.",
  },
  unsupported_media_type: {
    status: 415,
    message:
      "The body must be application/json, multipart/form-data or application/x-www-form-urlencoded, and not compressed.",
    when: "The body has another media type, or is compressed.",
  },
  rate_limited: {
    status: 429,
    message: "Too many requests.",
    when: "The account's request limit, or the limit of sign-in attempts, is exhausted; `Retry-After` says when to try again.",
  },
  headers_too_large: {
    status: 431,
    message: "The headers are too large.",
    when: "The headers are over 16 KiB. The connection is closed.",
  },
  server_error: {
    status: 500,
    message: "Something went wrong here. Nothing was accepted; please try again.",
    when: "A fault of the service. Nothing was accepted, so it is safe to repeat.",
  },
  unavailable: {
    status: 503,
    message: "The service cannot take requests at the moment. Nothing was accepted; please try again.",
    when: "The storage is not available, or too many large requests or answers are under way. Nothing was accepted, so it is safe to repeat.",
  },
  commit_unknown: {
    status: 503,
    message:
      "It is not known whether this request was accepted. Repeat it with the same Idempotency-Key, or look it up first.",
    when: "The storage was lost while accepting; the request may or may not have been accepted.",
  },
} as const satisfies Record<string, Entry>;

export type ProblemCode = keyof typeof problems;

/** An error reply, ready to be written. */
export interface Problem {
  status: number;
  headers?: Record<string, string>;
  body: object;
  problem: true;
}

/** Whether the value is a problem; the values it is compared with have no member called `problem`. */
export function isProblem(value: object): value is Problem {
  return "problem" in value;
}

/** The reply for a problem. `message` replaces the catalogue's text; `retryAfterMs` becomes `Retry-After`. */
export function problem(
  code: ProblemCode,
  details: { message?: string; retryAfterMs?: number; allow?: string } = {},
): Problem {
  const headers: Record<string, string> = {};
  if (details.retryAfterMs !== undefined) {
    headers["Retry-After"] = String(Math.max(1, Math.ceil(details.retryAfterMs / 1_000)));
  }
  if (details.allow !== undefined) headers.Allow = details.allow;
  const { status, message } = problems[code];
  return {
    problem: true,
    status,
    headers,
    body: { success: false, message: details.message ?? message, code },
  };
}

/** The 422 for a request with errors. */
export function validationFailed(issues: readonly Issue[]): Problem {
  return {
    problem: true,
    status: 422,
    body: { success: false, message: "Validation failed.", errors: errorsByPath(issues) },
  };
}

/** The 422 for a request whose `Idempotency-Key` was used for another one. */
export function idempotencyMismatch(): Problem {
  const message = "This Idempotency-Key was used for a different request.";
  return {
    problem: true,
    status: 422,
    body: {
      success: false,
      message: "Validation failed.",
      code: "idempotency_mismatch",
      errors: { "Idempotency-Key": [message] },
    },
  };
}

/** The refusals of authentication. */
export const refusals = {
  missing: {
    problem: true,
    status: 403,
    body: {
      status: "error",
      message: "Api key is required. Send it in the Api-key header or the api_key URL parameter.",
      error: "Invalid Api Key",
    },
  },
  invalid: { problem: true, status: 403, body: { status: "error", error: "Invalid Api Key" } },
  expired: {
    problem: true,
    status: 403,
    body: { status: "error", error: "Your Subscription Is Expired! Buy A New Plan" },
  },
  notAllowed: {
    problem: true,
    status: 403,
    body: { status: "error", error: "Not Allowed For This Api Key" },
  },
} as const satisfies Record<string, Problem>;

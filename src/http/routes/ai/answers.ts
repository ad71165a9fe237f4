// Shared code of the AI endpoints: the reply to a call, with the headers that name the member and the remaining limits.

import { z } from "zod";
import { readCaller } from "#ai/caller.ts";
import type { ClientRequest } from "#ai/complete.ts";
import { tagsText } from "#ai/labels.ts";
import { durationText, type RateLimitState } from "#ai/limits/limits.ts";
import { skipsCache } from "#ai/repeats/repeatable.ts";
import type { Origin } from "#ai/repeats/repeats.ts";
import type { RateLimited, ServeResult } from "#ai/serve.ts";
import type { ServicePool } from "#ai/stream/sse-writer.ts";
import { aiErrorReply, aiProblem } from "#contract/ai/openai-error.ts";
import type { Problem } from "#contract/problem.ts";
import { idempotencyHeader, idempotencyKey } from "#http/auth/idempotency-key.ts";
import type { PoolCall } from "#http/call.ts";
import type { Reply } from "#http/reply/response.ts";
import { type EventSource, eventStreamHeaders, keepAliveComment } from "#http/reply/sse.ts";

/** What a request may say about itself, for the OpenAPI document. */
export const callerHeaders = {
  "X-Client-Request-Id": z
    .string()
    .optional()
    .describe(
      "The client's own id of the request, up to 200 printable ASCII characters; otherwise its `X-Request-Id`. It goes on to the provider.",
    ),
  "X-Trunkline-Tags": z
    .string()
    .regex(tagsText)
    .optional()
    .describe(
      "Up to 10 tags, such as `team=checkout,stage=live`, for the usage record: usage can be grouped by them. Names have up to 40 characters, values up to 87.",
    ),
  ...idempotencyHeader,
  traceparent: z
    .string()
    .optional()
    .describe("The trace of the request (W3C Trace Context). It goes on to the provider, with `tracestate`."),
};

const malformedTags = aiProblem("invalid_value", {
  message: "'X-Trunkline-Tags' must be up to 10 tags such as team=checkout, separated by commas.",
});

/** The `x-ratelimit-*` headers of OpenAI. */
export function rateLimitHeaders({ requests, tokens }: RateLimitState): Record<string, string> {
  const headers: Record<string, string> = {};
  if (requests !== null) {
    headers["x-ratelimit-limit-requests"] = String(requests.limit);
    headers["x-ratelimit-remaining-requests"] = String(requests.remaining);
    headers["x-ratelimit-reset-requests"] = durationText(requests.resetMs);
  }
  if (tokens !== null) {
    headers["x-ratelimit-limit-tokens"] = String(tokens.limit);
    headers["x-ratelimit-remaining-tokens"] = String(tokens.remaining);
    headers["x-ratelimit-reset-tokens"] = durationText(tokens.resetMs);
  }
  return headers;
}

/** Maximum number of names in one header. */
const maxNamed = 20;

/** The number without an exponent. */
const decimal = (value: number) =>
  value
    .toFixed(12)
    .replace(/(?<!0)0+$/, "")
    .replace(/\.$/, "");

/** Adds the headers that name the member. */
function withServed(headers: Record<string, string>, served: ServicePool | null): Record<string, string> {
  if (served === null) return headers;
  headers["X-Service-Pool-Provider"] = encodeURI(served.provider);
  headers["X-Service-Pool-Model"] = encodeURI(served.model);
  headers["X-Service-Pool-Attempts"] = String(served.attempts);
  headers["X-Service-Pool-Latency-Ms"] = String(served.latency_ms);
  if (served.cost !== undefined) headers["X-Service-Pool-Cost"] = decimal(served.cost);
  return headers;
}

/** Names what the member was not sent. The names may be the client's own text. */
function withLeftOut(
  headers: Record<string, string>,
  leftOut: readonly string[] = [],
): Record<string, string> {
  if (leftOut.length > 0)
    headers["X-Service-Pool-Adapted"] = leftOut
      .slice(0, maxNamed)
      .map((name) => encodeURIComponent(name.slice(0, 64).toWellFormed()))
      .join(", ");
  return headers;
}

/** Says whether the answer is that of an earlier request. */
function withOrigin(headers: Record<string, string>, origin: Origin | undefined): Record<string, string> {
  if (origin?.replayed) headers["Idempotent-Replayed"] = "true";
  else if (origin?.cache) headers["X-Service-Pool-Cache"] = origin.cache;
  return headers;
}

/** The reply to a call that a limit of its key refuses. */
export function refusalReply({ by, retryAfterMs, levels }: RateLimited): Problem {
  const headers = rateLimitHeaders(levels);
  switch (by) {
    case "concurrency":
      return aiProblem("concurrency_limit_exceeded", { retryAfterMs, headers });
    case "budget":
      return aiProblem("insufficient_quota", {
        retryAfterMs,
        headers: { ...headers, "x-should-retry": "false" },
      });
    case "requests":
      return aiProblem("rate_limit_exceeded", { retryAfterMs, headers });
    case "tokens":
      return aiProblem("rate_limit_exceeded", {
        type: "tokens",
        message: "The key has used up its tokens per minute; try again later.",
        retryAfterMs,
        headers,
      });
  }
}

/** Starts the stream with a keep-alive, so that its headers are sent before a member answers. */
function withImmediateComment(stream: EventSource): EventSource {
  let started = false;
  return {
    next: async () => {
      if (started) return await stream.next();
      started = true;
      return stream.keepAlive?.() ?? keepAliveComment;
    },
    cancel: () => stream.cancel(),
    keepAlive: stream.keepAlive,
  };
}

/** Errors that last until the pool's owner changes something: every key is refused, or the pool has no member. */
const permanentErrors: readonly (string | null)[] = ["provider_denied", "no_member"];

/** Serves a call of the pool; null if the client closed the connection. */
export async function serveCall(
  { core, opened, request: received, requestId, signal }: PoolCall,
  request: ClientRequest,
): Promise<Reply | null> {
  const { headers, url = "" } = received;
  const caller = readCaller(requestId, headers);
  if (caller === null) return malformedTags;
  const key = idempotencyKey(received);
  if (typeof key !== "string" && key !== null) return aiProblem("invalid_value", { message: key.message });
  // Most requests share no answer.
  if (key === null && opened.pool.cache === null)
    return toReply(await core.ai.serve(opened, request, caller, signal));
  const path = url.split("?", 1)[0] ?? "";
  const repeatable = { path, idempotencyKey: key, skipsCache: skipsCache(headers["cache-control"]) };
  return toReply(await core.ai.serve(opened, { ...request, repeatable }, caller, signal));
}

/** The reply to a call; null if the client closed the connection. */
export function toReply(result: ServeResult): Reply | null {
  if (result.kind === "refused") return refusalReply(result);
  if (result.kind === "gone") return aiProblem("invalid_api_key");
  const { levels, completed, origin } = result;
  const headers = withOrigin(rateLimitHeaders(levels), origin);
  switch (completed.kind) {
    case "aborted":
      return null;
    case "answer":
      return {
        status: 200,
        body: completed.media?.bytes ?? completed.text,
        type: completed.media
          ? completed.media.contentType || "application/octet-stream"
          : "application/json; charset=utf-8",
        headers: withServed(withLeftOut(headers, completed.leftOut), completed.served),
      };
    case "stream":
      return {
        status: 200,
        body: completed.served === null ? withImmediateComment(completed.stream) : completed.stream,
        headers: withServed(
          withLeftOut({ ...eventStreamHeaders, ...headers }, completed.leftOut),
          completed.served,
        ),
      };
    case "error": {
      const { status, error, retryAfterMs, served } = completed;
      // OpenAI's clients retry every 5xx unless this header forbids it.
      if (permanentErrors.includes(error.code)) headers["x-should-retry"] = "false";
      return aiErrorReply(status, error, {
        retryAfterMs,
        headers: withServed(headers, served),
        ...(served === null ? {} : { beside: { service_pool: served } }),
      });
    }
  }
}

// What the AI endpoints share: from what became of a call to its answer, with the headers that tell who served
// it and what is left of the key's limits.

import type { ServicePool } from "#ai/frames.ts";
import { durationText, type Levels } from "#ai/limits.ts";
import type { Refused, Served } from "#ai/serve.ts";
import { aiErrorReply, aiProblem } from "#contract/openai-error.ts";
import type { Problem } from "#contract/problem.ts";
import type { Answer } from "#http/answer.ts";
import { type EventSource, eventStreamHeaders, keepAliveComment } from "#http/event-stream.ts";

/** `x-ratelimit-*`, as OpenAI has them. */
export function levelHeaders(levels: Levels): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [kind, left] of [
    ["requests", levels.requests],
    ["tokens", levels.tokens],
  ] as const) {
    if (left === null) continue;
    headers[`x-ratelimit-limit-${kind}`] = String(left.limit);
    headers[`x-ratelimit-remaining-${kind}`] = String(left.remaining);
    headers[`x-ratelimit-reset-${kind}`] = durationText(left.resetMs);
  }
  return headers;
}

function servedHeaders(served: ServicePool): Record<string, string> {
  return {
    "X-Service-Pool-Provider": encodeURI(served.provider),
    "X-Service-Pool-Model": encodeURI(served.model),
    "X-Service-Pool-Attempts": String(served.attempts),
    "X-Service-Pool-Latency-Ms": String(served.latency_ms),
  };
}

function refused({ by, retryAfterMs, levels }: Refused): Problem {
  const headers = levelHeaders(levels);
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
        message: "The key's tokens of this minute are used up; try again later.",
        retryAfterMs,
        headers,
      });
  }
}

/** Says something at once: headers travel with the first text, and this stream's are to go out before an answer. */
function opened(stream: EventSource): EventSource {
  let said = false;
  return {
    next: async () => {
      if (said) return await stream.next();
      said = true;
      return keepAliveComment;
    },
    cancel: () => stream.cancel(),
  };
}

/** The answer to a call; null: the caller went away. */
export function answerOf(result: Served): Answer | null {
  if (result.kind === "refused") return refused(result);
  if (result.kind === "gone") return aiProblem("invalid_api_key");
  const { levels, completed } = result;
  const headers = levelHeaders(levels);
  switch (completed.kind) {
    case "aborted":
      return null;
    case "answer":
      return {
        status: 200,
        body: completed.text,
        type: "application/json; charset=utf-8",
        headers: { ...headers, ...servedHeaders(completed.served) },
      };
    case "stream":
      return {
        status: 200,
        body: completed.served === null ? opened(completed.stream) : completed.stream,
        headers: {
          ...eventStreamHeaders,
          ...headers,
          ...(completed.served === null ? {} : servedHeaders(completed.served)),
        },
      };
    case "error": {
      const { status, error, retryAfterMs, served } = completed;
      return aiErrorReply(status, error, {
        retryAfterMs,
        headers: { ...headers, ...(served === null ? {} : servedHeaders(served)) },
        ...(served === null ? {} : { beside: { service_pool: served } }),
      });
    }
  }
}

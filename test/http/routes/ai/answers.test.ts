// From what became of a call to its answer: bodies, statuses, and the headers of limits and of who served.

import assert from "node:assert/strict";
import test from "node:test";
import type { CompletionResult } from "#ai/complete.ts";
import type { ServeResult } from "#ai/serve.ts";
import type { Reply } from "#http/reply/response.ts";
import { rateLimitHeaders, toReply } from "#http/routes/ai/answers.ts";

const levels = { requests: null, tokens: null };
const full = {
  requests: { limit: 60, remaining: 0, resetMs: 1_000 },
  tokens: { limit: 1_000, remaining: 990, resetMs: 12 },
};
const served = { provider: "primary", model: "openai/gpt-4o", latency_ms: 12.5, attempts: 2 };
const answered = (completed: CompletionResult): ServeResult => ({ kind: "served", completed, levels });

function answer(result: ServeResult): Reply {
  const found = toReply(result);
  assert.ok(found);
  return found;
}

test("levels in OpenAI's words, where the key has such limits", () => {
  assert.deepEqual(rateLimitHeaders(levels), {});
  assert.deepEqual(rateLimitHeaders({ ...full, requests: null }), {
    "x-ratelimit-limit-tokens": "1000",
    "x-ratelimit-remaining-tokens": "990",
    "x-ratelimit-reset-tokens": "12ms",
  });
  assert.equal(rateLimitHeaders(full)["x-ratelimit-reset-requests"], "1s");
});

test("an answer goes out as it is, with who served it", () => {
  const { status, body, headers, type } = answer({
    kind: "served",
    levels: full,
    completed: { kind: "answer", text: '{"a":1}', served },
  });
  assert.deepEqual([status, body, type], [200, '{"a":1}', "application/json; charset=utf-8"]);
  assert.equal(headers?.["X-Service-Pool-Provider"], "primary");
  assert.equal(headers?.["X-Service-Pool-Model"], "openai/gpt-4o");
  assert.equal(headers?.["X-Service-Pool-Attempts"], "2");
  assert.equal(headers?.["X-Service-Pool-Latency-Ms"], "12.5");
  assert.equal(headers?.["X-Service-Pool-Cost"], undefined);
  assert.equal(headers?.["x-ratelimit-remaining-requests"], "0");
});

test("the header has a known cost without an exponent", () => {
  for (const [cost, text] of [
    [0, "0"],
    [0.0000004, "0.0000004"],
    [0.00110002, "0.00110002"],
    [120, "120"],
  ] as const) {
    const completed = { kind: "answer" as const, text: "{}", served: { ...served, cost } };
    const { headers } = answer({ kind: "served", levels: full, completed });
    assert.equal(headers?.["X-Service-Pool-Cost"], text);
  }
});

test("a stream whose winner is known is handed on; one without speaks at once, and tells no server", async () => {
  const texts = ["data: 1\n\n", null];
  let cancelled = 0;
  const stream = {
    next: async () => texts.shift() ?? null,
    stop: () => {},
    cancel: () => {
      cancelled += 1;
    },
  };
  const known = answer(answered({ kind: "stream", stream, served }));
  assert.equal(known.body, stream);
  assert.equal(known.headers?.["Content-Type"], "text/event-stream; charset=utf-8");
  assert.equal(known.headers?.["X-Accel-Buffering"], "no");
  assert.equal(known.headers?.["X-Service-Pool-Attempts"], "2");
  const early = answer(answered({ kind: "stream", stream, served: null }));
  assert.equal(early.headers?.["X-Service-Pool-Provider"], undefined);
  const body = early.body as typeof stream;
  assert.deepEqual(
    [await body.next(), await body.next(), await body.next()],
    [": keep-alive\n\n", "data: 1\n\n", null],
  );
  body.cancel();
  assert.equal(cancelled, 1);
});

test("a failure keeps its error, and says who was tried, if anybody was", () => {
  const error = { message: "No.", type: "server_error", param: null, code: "x" };
  const tried = answer(answered({ kind: "error", status: 503, error, retryAfterMs: 1_500, served }));
  assert.equal(tried.status, 503);
  assert.deepEqual(tried.body, { error, service_pool: served });
  assert.equal(tried.headers?.["Retry-After"], "2");
  assert.equal(tried.headers?.["X-Service-Pool-Attempts"], "2");
  const untried = answer(answered({ kind: "error", status: 404, error, retryAfterMs: null, served: null }));
  assert.deepEqual(untried.body, { error });
  assert.equal(untried.headers?.["Retry-After"], undefined);
});

test("where no repeat helps, clients are asked not to: every key is refused, or there is no member", () => {
  for (const [code, header] of [
    ["provider_denied", "false"],
    ["no_member", "false"],
    ["upstream_timeout", undefined],
    [null, undefined],
  ] as const) {
    const error = { message: "No.", type: "server_error", param: null, code };
    const { headers } = answer(
      answered({ kind: "error", status: 502, error, retryAfterMs: null, served: null }),
    );
    assert.equal(headers?.["x-should-retry"], header);
  }
});

for (const [by, code, type] of [
  ["requests", "rate_limit_exceeded", "requests"],
  ["tokens", "rate_limit_exceeded", "tokens"],
  ["concurrency", "concurrency_limit_exceeded", "requests"],
  ["budget", "insufficient_quota", "tokens"],
] as const) {
  test(`refused for its ${by}: 429 ${code}`, () => {
    const { status, body, headers } = answer({ kind: "refused", by, retryAfterMs: 12_345, levels: full });
    assert.equal(status, 429);
    const { error } = body as { error: { code: string; type: string } };
    assert.deepEqual([error.code, error.type], [code, type]);
    assert.equal(headers?.["Retry-After"], "13");
    assert.equal(headers?.["retry-after-ms"], "12345");
    assert.equal(headers?.["x-ratelimit-limit-requests"], "60");
    assert.equal(headers?.["x-should-retry"], by === "budget" ? "false" : undefined);
  });
}

test("a key that was revoked meanwhile is refused; a caller who left is not answered", () => {
  assert.equal(answer({ kind: "gone" }).status, 401);
  assert.equal(toReply(answered({ kind: "aborted" })), null);
});

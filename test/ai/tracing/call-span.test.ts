// The span of a call and those of its attempts: names, kinds, parents and attributes.

import assert from "node:assert/strict";
import test from "node:test";
import type { Member } from "#ai/pools/member.ts";
import { CallSpan } from "#ai/tracing/call-span.ts";
import type { PreparedRequest } from "#providers/provider.ts";
import { memoryTracer } from "./spans.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const call = {
  id: "req_1",
  pool: { name: "assistants", accountId: "acc_1" },
  kind: "chat",
  format: "messages",
  model: "fast",
  stream: false,
  extraHeaders: { traceparent },
} as const;
const outcome = {
  status: 200,
  member: "primary",
  model: "gpt-x",
  attempts: [1, 2],
  usage: { promptTokens: 9, completionTokens: 3, totalTokens: 12 },
  estimated: false,
  cost: { cost: 1_500_000, cost_rest: 0, source: "set" },
};
const member = { name: "primary", provider: { kind: "anthropic" }, settings: {} } as unknown as Member;
const prepared: PreparedRequest = {
  kind: "request",
  request: { method: "POST", url: "https://api.test/v1?key=secret-0", headers: {}, body: null },
};

test("a call and its attempt, below the caller's span", () => {
  const { tracer, spans } = memoryTracer();
  const span = new CallSpan(tracer, call);
  const attempt = span.attempt({ member, model: "gpt-x" }, { prepared, stream: false });
  attempt.settled("completed");
  span.ended(outcome);
  const [inner, outer] = spans();
  assert.deepEqual([outer?.name, outer?.kind, outer?.parent], ["chat fast", 2, "00f067aa0ba902b7"]);
  assert.deepEqual([inner?.name, inner?.kind], ["chat gpt-x", 3]);
  assert.deepEqual(outer?.attributes, {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "fast",
    "gen_ai.response.model": "gpt-x",
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.usage.output_tokens": 3,
    "http.response.status_code": 200,
    "trunkline.account": "acc_1",
    "trunkline.api": "messages",
    "trunkline.attempts": 2,
    "trunkline.call": "req_1",
    "trunkline.cost": 1.5,
    "trunkline.cost.source": "set",
    "trunkline.member": "primary",
    "trunkline.pool": "assistants",
  });
  assert.deepEqual(
    [
      inner?.attributes["server.address"],
      inner?.attributes["server.port"],
      inner?.attributes["gen_ai.provider.name"],
    ],
    ["api.test", 443, "anthropic"],
  );
  assert.match(
    attempt.headers.traceparent ?? "",
    new RegExp(`^00-${traceparent.slice(3, 35)}-${inner && ".{16}"}-01$`),
  );
  assert.notEqual(attempt.headers.traceparent, traceparent);
  assert.doesNotMatch(JSON.stringify(spans()), /secret-0/);
});

test("operations, streams, a simulated member, and what was not counted", () => {
  const { tracer, spans } = memoryTracer();
  const gemini = new CallSpan(tracer, {
    ...call,
    format: "gemini",
    model: null,
    stream: true,
    extraHeaders: null,
  });
  const simulated = { kind: "simulated", answer: { status: 200, contentType: "", pieces: [] } } as const;
  gemini.attempt({ member, model: "m" }, { prepared: simulated, stream: true }).ended("aborted");
  gemini.ended({
    ...outcome,
    status: 499,
    member: null,
    model: null,
    cost: null,
    estimated: true,
    reused: "cache",
  });
  new CallSpan(tracer, { ...call, kind: "embeddings" }).ended(outcome);
  const [attempt, first, second] = spans();
  assert.deepEqual(
    [first?.name, first?.parent, second?.name],
    ["generate_content assistants", null, "embeddings fast"],
  );
  assert.equal(attempt?.attributes["server.address"], undefined);
  assert.equal(attempt?.attributes["gen_ai.request.stream"], true);
  assert.equal(first?.attributes["error.type"], "cancelled");
  assert.equal(first?.attributes["trunkline.reused"], "cache");
  assert.equal(first?.attributes["trunkline.usage.estimated"], true);
  assert.equal(second?.attributes["trunkline.api"], undefined);
});

test("how it ends: refused, with the caller's fault, with the server's", () => {
  const { tracer, spans } = memoryTracer();
  new CallSpan(tracer, call).refused("budget");
  new CallSpan(tracer, call).ended({ ...outcome, status: 404 });
  new CallSpan(tracer, call).ended({ ...outcome, status: 503 });
  new CallSpan(tracer, call).broken(500);
  assert.deepEqual(
    spans().map(({ isFailed, attributes }) => [
      isFailed,
      attributes["http.response.status_code"],
      attributes["error.type"],
    ]),
    [
      [false, 429, "budget"],
      [false, 404, "404"],
      [true, 503, "503"],
      [true, 500, "500"],
    ],
  );
});

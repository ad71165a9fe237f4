// The span of one attempt, however it ends.

import assert from "node:assert/strict";
import test from "node:test";
import { AttemptSpan } from "#ai/tracing/attempt-span.ts";
import type { Chunk, Failure } from "#providers/provider.ts";
import { spanKind } from "#runtime/tracing/tracing.ts";
import { memoryTracer } from "./spans.ts";

const failure = (kind: Failure["kind"], status: number, code: string | null): Failure => ({
  kind,
  status,
  retryAfterMs: null,
  error: { message: "the vendor's words", type: "server_error", param: null, code },
});

const chunk = (value: object, more: Partial<Chunk> = {}): Chunk => ({
  kind: "chunk",
  text: JSON.stringify(value),
  output: true,
  finish: false,
  usage: null,
  usageOnly: false,
  units: 1,
  ...more,
});

/** What is left of an attempt. */
function left(play: (span: AttemptSpan) => void, isGivenUp = false): Record<string, unknown> {
  const { tracer, spans } = memoryTracer();
  play(new AttemptSpan(tracer.startSpan("chat m", { kind: spanKind.client }, null), {}, () => isGivenUp));
  const [span, ...others] = spans();
  assert.ok(span && others.length === 0);
  return { error: span.isFailed, ...span.attributes };
}

test("a whole answer: its id, model, reasons and tokens", () => {
  const text = JSON.stringify({ id: "c1", model: "m-1", choices: [{ finish_reason: "stop" }] });
  const usage = { promptTokens: 9, completionTokens: 3, totalTokens: 12 };
  const attributes = left((span) => {
    span.answered({ kind: "answer", text, usage }, 20);
    span.settled("completed");
    span.settled("failed");
  });
  assert.deepEqual(attributes, {
    error: false,
    "trunkline.attempt.outcome": "ok",
    "gen_ai.response.id": "c1",
    "gen_ai.response.model": "m-1",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.usage.output_tokens": 3,
    "http.response.status_code": 200,
  });
});

test("a vendor that ends again and again adds no more than 32 reasons", () => {
  const end = chunk({ choices: [{ finish_reason: "stop" }] }, { finish: true });
  const attributes = left((span) => {
    span.chunks(Array.from({ length: 1_000 }, () => end));
    span.settled("completed");
  });
  assert.deepEqual(attributes["gen_ai.response.finish_reasons"], Array(32).fill("stop"));
});

test("a stream: the time to its first chunk, and what its chunks say; a buffered one likewise", () => {
  const chunks = [
    chunk({ id: "c1", model: "m-1", choices: [{ finish_reason: null }] }),
    chunk({ id: "c1", choices: [{ finish_reason: "length" }] }, { finish: true }),
    chunk(
      { choices: [] },
      { usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 }, usageOnly: true },
    ),
  ];
  for (const kind of ["streaming", "buffered"] as const) {
    const attributes = left((span) => {
      span.answered({ kind, chunks }, 250);
      if (kind === "streaming") span.chunks(chunks);
      span.settled("completed");
    });
    assert.equal(attributes["gen_ai.response.time_to_first_chunk"], 0.25);
    assert.deepEqual(attributes["gen_ai.response.finish_reasons"], ["length"]);
    assert.equal(attributes["gen_ai.response.id"], "c1");
    assert.equal(attributes["gen_ai.usage.output_tokens"], 2);
  }
});

test("failures: the vendor's status and kind, or the gateway's own code without a status; never words", () => {
  const ended = (kind: Failure["kind"], status: number, code: string | null) => {
    const attributes: Record<string, unknown> = left((span) => span.ended(kind, failure(kind, status, code)));
    assert.doesNotMatch(JSON.stringify(attributes), /words/);
    const { error } = attributes;
    return [error, attributes["error.type"], attributes["http.response.status_code"]];
  };
  assert.deepEqual(ended("rate_limited", 429, "slow_down"), [true, "rate_limited", 429]);
  assert.deepEqual(ended("upstream_error", 504, "upstream_timeout"), [true, "upstream_timeout", undefined]);
  assert.deepEqual(ended("upstream_error", 502, "url_not_allowed"), [true, "url_not_allowed", undefined]);
  const cut = left((span) => {
    span.answered({ kind: "streaming" }, 1);
    span.brokeOff(failure("upstream_error", 502, "upstream_cut"));
    span.settled("dropped");
  });
  assert.deepEqual([cut["error.type"], cut["trunkline.attempt.outcome"]], ["upstream_cut", "upstream_error"]);
  assert.equal(left((span) => span.settled("failed"))["error.type"], "failed");
  assert.equal(left((span) => span.ended("failed")).error, true);
});

test("a caller that leaves, and a hedge that another member won, are cancelled and no errors", () => {
  for (const [isGivenUp, outcome] of [
    [false, "aborted"],
    [true, "given_up"],
  ] as const)
    for (const play of [
      (span: AttemptSpan) => span.ended("aborted"),
      (span: AttemptSpan) => span.settled("dropped"),
    ])
      assert.deepEqual(left(play, isGivenUp), {
        error: false,
        "trunkline.attempt.outcome": outcome,
        "error.type": "cancelled",
      });
});

test("a span that is not sampled parses nothing", () => {
  const { tracer } = memoryTracer();
  const real = tracer.startSpan("chat", { kind: spanKind.client }, null);
  const idle = Object.assign(Object.create(real), { isRecording: () => false });
  const span = new AttemptSpan(idle, {}, () => false);
  const unread = Object.defineProperty(chunk({}), "text", {
    get: () => assert.fail("the text is read"),
  }) as Chunk;
  span.chunks([unread]);
});

// OpenTelemetry's packages with a real collector.

import assert from "node:assert/strict";
import test from "node:test";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { openTracing } from "#runtime/tracing/open-tracing.ts";
import type { SamplerName } from "#runtime/tracing/tracing.ts";
import { movableClock } from "../../clock.ts";
import { memoryLog } from "../../log.ts";
import { openCollector } from "./collector.ts";

const caller = (traceFlags: number) =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    spanId: "00f067aa0ba902b7",
    traceFlags,
    isRemote: true,
  });

test("spans arrive as JSON with the name of the service; a long attribute is cut", async () => {
  const collector = await openCollector();
  try {
    const settings = {
      url: `${collector.url}/v1/traces`,
      sampler: "parentbased_always_on",
      ratio: 1,
    } as const;
    const tracing = await openTracing(settings, { clock: movableClock(), log: memoryLog() });
    tracing.tracer.startSpan("chat one", { attributes: { long: "x".repeat(300) } }, caller(1)).end();
    await tracing.stop();
    const [span] = collector.spans;
    assert.equal(span?.name, "chat one");
    assert.equal(span?.parentSpanId, "00f067aa0ba902b7");
    assert.equal(String(span?.attributes.long).length, 256);
    assert.equal(collector.posts[0]?.path, "/v1/traces");
    assert.equal(collector.posts[0]?.headers["content-type"], "application/json");
    assert.equal(collector.resources[0]?.["service.name"], "trunkline");
    assert.match(String(collector.resources[0]?.["service.instance.id"]), /^[0-9a-f-]{36}$/);
    assert.equal(tracing.dropped(), 0);
  } finally {
    await collector.close();
  }
});

test("every sampler: which spans are made without a caller, under one that samples, and under one that does not", async () => {
  const made: Record<string, boolean[]> = {};
  for (const [sampler, ratio] of [
    ["always_on", 1],
    ["always_off", 1],
    ["traceidratio", 1],
    ["traceidratio", 0],
    ["parentbased_always_on", 1],
    ["parentbased_always_off", 1],
    ["parentbased_traceidratio", 0],
  ] as [SamplerName, number][]) {
    const settings = { url: "http://127.0.0.1:9/v1/traces", sampler, ratio };
    const { tracer } = await openTracing(settings, { clock: movableClock(), log: memoryLog() });
    made[`${sampler} ${ratio}`] = [ROOT_CONTEXT, caller(1), caller(0)].map((context) =>
      tracer.startSpan("chat", {}, context).isRecording(),
    );
  }
  assert.deepEqual(made, {
    "always_on 1": [true, true, true],
    "always_off 1": [false, false, false],
    "traceidratio 1": [true, true, true],
    "traceidratio 0": [false, false, false],
    "parentbased_always_on 1": [true, true, false],
    "parentbased_always_off 1": [false, true, false],
    "parentbased_traceidratio 0": [false, true, false],
  });
});

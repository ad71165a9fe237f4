// Which traces are sampled.

import assert from "node:assert/strict";
import test from "node:test";
import { samplerOf } from "#runtime/tracing/sampler.ts";
import type { SamplerName } from "#runtime/tracing/tracing.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const caller = (traceFlags: number) => ({ traceId, spanId: "00f067aa0ba902b7", traceFlags, isRemote: true });

test("every sampler: without a caller, under one that samples, and under one that does not", () => {
  const sampled: Record<string, boolean[]> = {};
  for (const [name, ratio] of [
    ["always_on", 1],
    ["always_off", 1],
    ["traceidratio", 0],
    ["traceidratio", 1],
    ["parentbased_always_on", 1],
    ["parentbased_always_off", 1],
    ["parentbased_traceidratio", 0],
  ] as [SamplerName, number][])
    sampled[`${name} ${ratio}`] = [null, caller(1), caller(0)].map((parent) =>
      samplerOf(name, ratio)(traceId, parent),
    );
  assert.deepEqual(sampled, {
    "always_on 1": [true, true, true],
    "always_off 1": [false, false, false],
    "traceidratio 0": [false, false, false],
    "traceidratio 1": [true, true, true],
    "parentbased_always_on 1": [true, true, false],
    "parentbased_always_off 1": [false, true, false],
    "parentbased_traceidratio 0": [false, true, false],
  });
});

test("a ratio samples the traces that OpenTelemetry's package for JavaScript samples", () => {
  // The words of 32 bits, combined by exclusive or: 0x00000000, 0x7fffffff, 0xbfffffff.
  for (const [id, folded] of [
    ["80000000800000000000000100000001", 0],
    ["7fffffff000000000000000000000000", 0.5],
    ["4000000080000000000000007fffffff", 0.75],
  ] as const) {
    assert.equal(samplerOf("traceidratio", folded + 0.01)(id, null), true, id);
    if (folded > 0) assert.equal(samplerOf("traceidratio", folded - 0.01)(id, null), false, id);
  }
});

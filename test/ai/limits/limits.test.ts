// A key's meter, against a plain model of what a bucket is: exactly as many as there is room for, a refusal takes
// nothing, a wait that was reported is enough and not longer, and what was reckoned is settled to what was used.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { durationText, type KeyLimits, KeyMeter } from "#ai/limits/limits.ts";

const unlimited: KeyLimits = { requests_per_minute: null, tokens_per_minute: null, concurrency: null };
const kindOf = (meter: KeyMeter, limits: KeyLimits, tokens: number, now: number) => {
  const admission = meter.admit(limits, tokens, now);
  return admission.kind === "admitted" ? "admitted" : admission.by;
};

test("of 100 at once exactly 40 get in; the next one after a 40th of a minute", () => {
  const meter = new KeyMeter();
  const limits = { ...unlimited, requests_per_minute: 40 };
  const kinds = Array.from({ length: 100 }, () => kindOf(meter, limits, 0, 0));
  assert.deepEqual(kinds, [...Array(40).fill("admitted"), ...Array(60).fill("requests")]);
  const refused = meter.admit(limits, 0, 0);
  assert.deepEqual(refused, {
    kind: "refused",
    by: "requests",
    retryAfterMs: 1500,
    levels: { requests: { limit: 40, remaining: 0, resetMs: 60_000 }, tokens: null },
  });
  assert.equal(kindOf(meter, limits, 0, 1499), "requests");
  assert.equal(kindOf(meter, limits, 0, 1500), "admitted");
  assert.equal(kindOf(meter, limits, 0, 1500), "requests");
});

test("a refusal by one limit takes nothing of the others", () => {
  const meter = new KeyMeter();
  const limits = { requests_per_minute: 2, tokens_per_minute: 100, concurrency: 1 };
  assert.equal(kindOf(meter, limits, 60, 0), "admitted");
  for (let i = 0; i < 10; i++) assert.equal(kindOf(meter, limits, 1, 0), "concurrency");
  meter.settle(60, 60);
  for (let i = 0; i < 10; i++) assert.equal(kindOf(meter, limits, 60, 0), "tokens");
  assert.deepEqual(meter.levels(), {
    requests: { limit: 2, remaining: 1, resetMs: 30_000 },
    tokens: { limit: 100, remaining: 40, resetMs: 36_000 },
  });
  assert.equal(kindOf(meter, limits, 40, 0), "admitted");
});

test("what a call really used is settled: more is paid off first, less comes back at once", () => {
  const limits = { ...unlimited, tokens_per_minute: 100 };
  const meter = new KeyMeter();
  assert.equal(kindOf(meter, limits, 10, 0), "admitted");
  meter.settle(10, 250);
  const refused = meter.admit(limits, 1, 0);
  assert.ok(refused.kind === "refused" && refused.retryAfterMs === 90_600, JSON.stringify(refused));
  assert.equal(kindOf(meter, limits, 1, 90_600), "admitted");
  const other = new KeyMeter();
  assert.equal(kindOf(other, limits, 100, 0), "admitted");
  other.settle(100, 0);
  assert.equal(kindOf(other, limits, 100, 0), "admitted");
});

test("a request larger than the whole bucket is let in when the bucket is full, and is paid off", () => {
  const limits = { ...unlimited, tokens_per_minute: 100 };
  const meter = new KeyMeter();
  assert.equal(kindOf(meter, limits, 1_000, 0), "admitted");
  assert.equal(kindOf(meter, limits, 1, 9 * 60_000), "tokens");
  assert.equal(kindOf(meter, limits, 1, 9 * 60_000 + 600), "admitted");
});

test("a limit that is changed moves what is left by the difference; one that is taken away is forgotten", () => {
  const meter = new KeyMeter();
  const at = (requests_per_minute: number | null) => ({ ...unlimited, requests_per_minute });
  for (let i = 0; i < 5; i++) assert.equal(kindOf(meter, at(10), 0, 0), "admitted");
  for (let i = 0; i < 10; i++) assert.equal(kindOf(meter, at(15), 0, 0), "admitted");
  assert.equal(kindOf(meter, at(15), 0, 0), "requests");
  assert.equal(kindOf(meter, at(null), 0, 0), "admitted");
  assert.equal(kindOf(meter, at(1), 0, 0), "admitted");
});

interface Step {
  afterMs: number;
  tokens: number;
  used: number;
  ends: number;
}

test("against a plain model: any order of calls, ends and pauses, time that goes backwards included", () => {
  const steps = fc.array(
    fc.record<Step>({
      afterMs: fc.integer({ min: -500, max: 20_000 }),
      tokens: fc.integer({ min: 0, max: 300 }),
      used: fc.integer({ min: 0, max: 400 }),
      ends: fc.integer({ min: 0, max: 2 }),
    }),
    { maxLength: 60 },
  );
  const limit = (max: number) => fc.option(fc.integer({ min: 1, max }));
  const limitsOf = fc.record({
    requests_per_minute: limit(30),
    tokens_per_minute: limit(500),
    concurrency: limit(4),
  });
  fc.assert(
    fc.property(limitsOf, steps, (limits, list) => {
      const meter = new KeyMeter();
      // In 60,000ths, so that nothing is rounded.
      const scale = 60_000;
      const full = (max: number | null) => (max === null ? null : max * scale);
      let requests = full(limits.requests_per_minute);
      let tokens = full(limits.tokens_per_minute);
      let now = 0;
      let seen = Number.NEGATIVE_INFINITY;
      const underWay: number[] = [];
      for (const step of list) {
        now += step.afterMs;
        const gained = Number.isFinite(seen) ? Math.max(0, now - seen) : 0;
        seen = Math.max(seen, now);
        const grow = (level: number | null, max: number | null) =>
          level === null || max === null ? null : Math.min(max * scale, level + gained * max);
        requests = grow(requests, limits.requests_per_minute);
        tokens = grow(tokens, limits.tokens_per_minute);
        const room = (level: number | null, amount: number, max: number | null) =>
          level === null || max === null || level >= Math.min(amount, max) * scale;
        const fits =
          (limits.concurrency === null || underWay.length < limits.concurrency) &&
          room(requests, 1, limits.requests_per_minute) &&
          room(tokens, step.tokens, limits.tokens_per_minute);
        const admission = meter.admit(limits, step.tokens, now);
        assert.equal(admission.kind, fits ? "admitted" : "refused");
        if (fits) {
          underWay.push(step.tokens);
          if (requests !== null) requests -= scale;
          if (tokens !== null) tokens -= step.tokens * scale;
        } else if (admission.kind === "refused" && admission.by !== "concurrency") {
          assert.ok(admission.retryAfterMs > 0 && Number.isInteger(admission.retryAfterMs));
        }
        const left = admission.levels.tokens?.remaining;
        if (left !== undefined) assert.equal(left, Math.max(0, Math.floor((tokens ?? 0) / scale)));
        for (let end = 0; end < step.ends; end++) {
          const reckoned = underWay.shift();
          if (reckoned === undefined) break;
          meter.settle(reckoned, step.used);
          if (tokens !== null) tokens -= (step.used - reckoned) * scale;
        }
        assert.equal(meter.idle, underWay.length === 0);
      }
    }),
  );
});

test("durations as OpenAI writes them", () => {
  const texts = [0, 11.2, 999, 1_000, 1_001, 59_000, 60_000, 359_500, 3_600_000, 3_725_000].map(durationText);
  assert.deepEqual(texts, ["0ms", "12ms", "999ms", "1s", "2s", "59s", "1m0s", "6m0s", "1h0m0s", "1h2m5s"]);
});

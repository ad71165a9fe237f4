// The pace of a lane, over simulated hours.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { Pacer } from "#queue/pace.ts";
import { seededRandom } from "../harness.ts";

const catchUpMs = 100;
const random = () => 0;

/** Drives a pacer as a lane does: it takes what it may, then waits as told. Returns the instants of all sends. */
function drive(
  pacer: Pacer,
  forMs: number,
  options: { late?: () => number; atMost?: number } = {},
): number[] {
  const sent: number[] = [];
  for (let now = 0; now < forMs; ) {
    const { count, waitMs } = pacer.available(now);
    if (count === 0) {
      now += waitMs + (options.late?.() ?? 0);
      continue;
    }
    const take = Math.min(count, options.atMost ?? Number.POSITIVE_INFINITY);
    pacer.consume(take, now);
    for (let i = 0; i < take; i++) sent.push(now);
  }
  return sent;
}

/** The most sends in any window of this length. */
function densest(sent: readonly number[], windowMs: number): number {
  let max = 0;
  let from = 0;
  for (let to = 0; to < sent.length; to++) {
    while (sent[to]! - sent[from]! >= windowMs) from += 1;
    max = Math.max(max, to - from + 1);
  }
  return max;
}

const hour = 3_600_000;
const rates = [0.01, 0.1, 0.5, 1, 3, 7, 10, 33, 60];

for (const perSecond of rates) {
  test(`${perSecond} a second is exactly that over two hours`, () => {
    const sent = drive(new Pacer({ perSecond, jitterMs: 0, random }), 2 * hour);
    // One goes at once, and then one an interval.
    assert.ok(Math.abs(sent.length - (7200 * perSecond + 1)) <= 1, `${sent.length}`);
    const gap = 1000 / perSecond;
    for (let i = 1; i < Math.min(sent.length, 2000); i++) {
      assert.ok(sent[i]! - sent[i - 1]! > gap - 1e-3, `gap ${i}: ${sent[i]! - sent[i - 1]!}`);
    }
  });
}

test("a thousand a second, asked late every time, keep their rate by small bunches", () => {
  const seeded = seededRandom(5);
  const sent = drive(new Pacer({ perSecond: 1000, jitterMs: 0, random }), 60_000, {
    late: () => seeded.random() * 40,
  });
  assert.ok(sent.length > 59_000 && sent.length <= 60_000 + catchUpMs + 1, `${sent.length}`);
});

test("never more than the rate and one catch-up in any window, however irregular the lane is", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.2, max: 2000, noNaN: true }),
      fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 5000 }),
      (perSecond, stalls, atMost, windowMs) => {
        let next = 0;
        const sent = drive(new Pacer({ perSecond, jitterMs: 0, random }), 30_000, {
          late: () => stalls[next++ % stalls.length]!,
          atMost,
        });
        const bound = ((windowMs + catchUpMs) * perSecond) / 1000 + 1;
        assert.ok(densest(sent, windowMs) <= bound + 1e-6, `${densest(sent, windowMs)} > ${bound}`);
      },
    ),
    { numRuns: 300, seed: 11 },
  );
});

test("after an hour's stall it catches up by a tenth of a second at the most", () => {
  const pacer = new Pacer({ perSecond: 100, jitterMs: 0, random });
  pacer.consume(pacer.available(0).count, 0);
  assert.deepEqual(pacer.available(hour), { count: 11, waitMs: 0 });
  pacer.consume(11, hour);
  assert.equal(pacer.available(hour).count, 0);
});

test("without a bound everything may go at once", () => {
  const pacer = new Pacer({ perSecond: null, jitterMs: 0, random });
  assert.equal(pacer.available(0).count, Number.POSITIVE_INFINITY);
  pacer.consume(1_000_000, 0);
  assert.equal(pacer.available(0).count, Number.POSITIVE_INFINITY);
});

test("jitter lengthens each gap by its own draw, up to the bound, and never shortens one", () => {
  const { random } = seededRandom(9);
  const sent = drive(new Pacer({ perSecond: 2, jitterMs: 300, random }), hour);
  const gaps = sent.slice(1).map((at, i) => at - sent[i]!);
  assert.ok(Math.min(...gaps) >= 500);
  assert.ok(Math.max(...gaps) < 800);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  assert.ok(Math.abs(mean - 650) < 10, `${mean}`);
  assert.ok(new Set(gaps.map((gap) => Math.round(gap))).size > 200, "every gap is drawn anew");
});

test("jitter alone paces too, one at a time", () => {
  const pacer = new Pacer({ perSecond: null, jitterMs: 1000, random: () => 0.25 });
  assert.equal(pacer.available(0).count, 1);
  pacer.consume(1, 0);
  assert.deepEqual(pacer.available(100), { count: 0, waitMs: 150 });
  assert.equal(pacer.available(250).count, 1);
});

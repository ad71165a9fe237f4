// When the last message goes out: by rate, due times, hours and the daily bound.

import assert from "node:assert/strict";
import test from "node:test";
import { lastOut, measuredRange, rateOf } from "#messaging/estimate.ts";

const at = (text: string) => Date.parse(`2026-11-24T${text}Z`);
const free = { zone: "UTC", hours: null, perDay: null, sentToday: 0 };
const out = (waiting: [string, number][], perSecond: number, now: string, bounds = {}) => {
  const counts = waiting.map(([due, messages]) => ({ dueAt: at(due), messages }));
  const end = lastOut(counts, perSecond, at(now), { ...free, ...bounds });
  return end === null ? null : new Date(end).toISOString().slice(0, 19);
};

test("what waits goes out one after the other, none before it is due", () => {
  assert.equal(out([["09:00:00", 600]], 10, "09:30:00"), "2026-11-24T09:31:00");
  const parts: [string, number][] = [
    ["09:00:00", 600],
    ["17:00:00", 600],
  ];
  assert.equal(out(parts, 10, "08:00:00"), "2026-11-24T17:01:00");
  assert.equal(out(parts, 600 / 36_000, "08:00:00"), "2026-11-25T05:00:00");
  assert.equal(out([], 10, "08:00:00"), "2026-11-24T08:00:00");
});

test("a gateway rests outside its hours", () => {
  const hours = { hours: "08:00-10:00" };
  assert.equal(out([["07:00:00", 3_600]], 1, "07:00:00", hours), "2026-11-24T09:00:00");
  assert.equal(out([["09:30:00", 3_600]], 1, "07:00:00", hours), "2026-11-25T08:30:00");
  assert.equal(
    out([["23:00:00", 3_600]], 1, "07:00:00", { hours: "22:30-24:00" }),
    "2026-11-24T24:00:00".replace("24T24", "25T00"),
  );
  assert.equal(out([["09:30:00", 3_600]], 1, "07:00:00", { hours: "00:00-24:00" }), "2026-11-24T10:30:00");
});

test("what is over the daily bound goes out on the next days", () => {
  assert.equal(
    out([["09:00:00", 250]], 1, "09:00:00", { perDay: 100, sentToday: 50 }),
    "2026-11-26T00:01:40",
  );
  assert.equal(
    out([["09:00:00", 60]], 1, "09:00:00", { perDay: 100, sentToday: 100 }),
    "2026-11-25T00:01:00",
  );
  assert.equal(out([["09:00:00", 100_000]], 1, "09:00:00", { perDay: 1 }), null);
});

test("a rate is measured only while there was enough to send, and otherwise the pace", () => {
  const pace = { per_second: 20, jitter_ms: 0 };
  assert.deepEqual(rateOf({ sent: 1_500, wasBusy: true, pace, slowedBy: 1 }), {
    perSecond: 5,
    of: "measured",
  });
  assert.deepEqual(rateOf({ sent: 1_500, wasBusy: false, pace, slowedBy: 1 }), { perSecond: 20, of: "pace" });
  assert.deepEqual(rateOf({ sent: 0, wasBusy: false, pace, slowedBy: 2 }), { perSecond: 10, of: "pace" });
  const jittered = rateOf({
    sent: 0,
    wasBusy: false,
    pace: { per_second: 1, jitter_ms: 2_000 },
    slowedBy: 1,
  });
  assert.deepEqual(jittered, { perSecond: 0.5, of: "pace" });
  assert.equal(rateOf({ sent: 0, wasBusy: true, pace, slowedBy: 1 }), null);
  assert.equal(rateOf({ sent: 9, wasBusy: false, pace: { ...pace, per_second: null }, slowedBy: 1 }), null);
  assert.deepEqual(measuredRange(at("09:07:30")), { from: at("09:02:00"), before: at("09:07:00") });
});

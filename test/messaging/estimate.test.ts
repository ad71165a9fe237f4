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

const daysOn = (count: number) => Date.parse("2026-11-24T09:00:00Z") + count * 86_400_000;

test("what is more than 500 days off by a daily bound or by hours is no estimate any more", () => {
  const one = { ...free, perDay: 1 };
  const all = (messages: number) => [{ dueAt: daysOn(0), messages }];
  assert.equal(lastOut(all(900), 1, daysOn(0), one), Date.parse("2026-11-24T00:00:01Z") + 899 * 86_400_000);
  assert.equal(lastOut(all(1_100), 1, daysOn(0), one), null);
  const minute = { ...free, hours: "09:00-09:01" };
  assert.equal(lastOut(all(400), 1 / 60, daysOn(0), minute), daysOn(399) + 60_000);
  assert.equal(lastOut(all(600), 1 / 60, daysOn(0), minute), null);
  const both = { ...minute, perDay: 1 };
  assert.equal(lastOut(all(240), 1, daysOn(0), both), daysOn(239) + 1_000);
  assert.equal(lastOut(all(400), 1, daysOn(0), both), null);
});

test("due times cost nothing while they are on one day, however many they are", () => {
  const soon = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ dueAt: daysOn(0) + i, messages: 1 }));
  const now = daysOn(0) + 60_000;
  assert.equal(lastOut(soon(25_000), 100, now, free), now + 250_000);
  const bounds = { ...free, hours: "08:00-20:00", perDay: 30_000 };
  assert.equal(lastOut(soon(25_000), 100, now, bounds), now + 250_000);
});

test("due times on many days are no estimate either, unless no day has bounds", () => {
  const daily = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ dueAt: daysOn(i), messages: 1 }));
  const bounds = { ...free, hours: "08:00-20:00", perDay: 5 };
  assert.equal(lastOut(daily(400), 1, daysOn(0), bounds), daysOn(399) + 1_000);
  assert.equal(lastOut(daily(2_000), 1, daysOn(0), bounds), null);
  assert.equal(lastOut(daily(2_000), 1, daysOn(0), free), daysOn(1_999) + 1_000);
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

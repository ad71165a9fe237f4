// Ranges of statistics: their defaults, the longest of each step, and the beginning of the first point.

import assert from "node:assert/strict";
import test from "node:test";
import { rangeOf } from "#http/routes/manage/statistics-range.ts";
import { thrownProblem } from "../../thrown.ts";

const now = Date.parse("2026-11-22T10:20:30.400Z");
const at = { now, timeZone: "Asia/Kathmandu" };
const dayMs = 86_400_000;
const iso = (time: number) => new Date(time).toISOString();

const range = (query: Parameters<typeof rangeOf>[0]) => {
  const found = rangeOf(query, at);
  return [iso(found.from), iso(found.end)];
};

test("without bounds it is the last day, from the beginning of the step that holds its beginning", () => {
  const end = iso(now + 1);
  assert.deepEqual(range({ step: "minute" }), ["2026-11-21T10:20:00.000Z", end]);
  assert.deepEqual(range({ step: "hour" }), ["2026-11-21T10:00:00.000Z", end]);
  // A local day: midnight in Kathmandu is 18:15 UTC.
  assert.deepEqual(range({ step: "day" }), ["2026-11-20T18:15:00.000Z", end]);
  const before = "2026-11-10T00:00:00Z";
  assert.deepEqual(range({ step: "hour", before }), ["2026-11-09T00:00:00.000Z", iso(Date.parse(before))]);
});

test("each step has its longest range, and a range has to begin before its end", () => {
  const words = (query: Parameters<typeof rangeOf>[0]) =>
    JSON.stringify(thrownProblem(() => rangeOf(query, at)).body);
  const before = iso(now);
  for (const [step, days, word] of [
    ["minute", 1, "a day"],
    ["hour", 31, "31 days"],
    ["day", 366, "366 days"],
  ] as const) {
    range({ step, before, after: iso(now - days * dayMs) });
    const longer = words({ step, before, after: iso(now - days * dayMs - 1) });
    assert.ok(longer.includes(`is more than ${word} before`), longer);
  }
  assert.match(words({ step: "hour", before, after: before }), /is not before/);
});

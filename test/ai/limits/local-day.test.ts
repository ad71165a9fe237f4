// The local day that budgets and usage count by.

import assert from "node:assert/strict";
import test from "node:test";
import { localDay } from "#ai/limits/local-day.ts";

const at = (text: string) => Date.parse(text);

test("the day is the zone's, and changes at its midnight to the millisecond", () => {
  assert.equal(localDay(at("2026-03-28T22:59:59.999Z"), "Europe/Berlin"), "2026-03-28");
  assert.equal(localDay(at("2026-03-28T23:00:00.000Z"), "Europe/Berlin"), "2026-03-29");
  // The night in which an hour is missing.
  assert.equal(localDay(at("2026-03-29T21:59:59.999Z"), "Europe/Berlin"), "2026-03-29");
  assert.equal(localDay(at("2026-03-29T22:00:00.000Z"), "Europe/Berlin"), "2026-03-30");
});

test("zones do not get in each other's way, nor does a clock that was set back", () => {
  const now = at("2026-06-30T12:00:00Z");
  assert.equal(localDay(now, "Pacific/Kiritimati"), "2026-07-01");
  assert.equal(localDay(now, "UTC"), "2026-06-30");
  assert.equal(localDay(now - 86_400_000, "UTC"), "2026-06-29");
  assert.equal(localDay(now, "Pacific/Kiritimati"), "2026-07-01");
});

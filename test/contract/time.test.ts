// Instants on the wire.

import assert from "node:assert/strict";
import test from "node:test";
import { isoTime, startOfLastDay } from "#contract/time.ts";

test("instants are ISO 8601 in UTC with milliseconds", () => {
  assert.equal(isoTime(1_767_225_600_001), "2026-01-01T00:00:00.001Z");
  assert.equal(isoTime(0), "1970-01-01T00:00:00.000Z");
});

test("the last 24 hours begin with an hour, the same one throughout an hour", () => {
  const begin = Date.parse("2026-01-01T05:00:00Z");
  for (const time of ["05:00:00.000", "05:30:00.000", "05:59:59.999"])
    assert.equal(startOfLastDay(Date.parse(`2026-01-02T${time}Z`)), begin, time);
  assert.equal(startOfLastDay(Date.parse("2026-01-02T06:00:00Z")), begin + 3_600_000);
});

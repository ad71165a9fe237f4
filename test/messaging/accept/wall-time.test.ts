// Instants with a zone as wall times of an account, and those that are no time to send at.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readWallTime } from "#messaging/accept/wall-time.ts";

const now = Date.parse("2026-07-01T00:00:00Z");
const table: [text: string, read: string][] = [
  ["2026-07-01T12:00:00Z", "2026-07-01 14:00:00"],
  ["2026-07-01T12:00:00.999Z", "2026-07-01 14:00:00"],
  ["2026-07-01T12:00Z", "2026-07-01 14:00:00"],
  ["2026-07-01 12:00:00+00", "2026-07-01 14:00:00"],
  ["2026-07-01T12:00:00+0530", "2026-07-01 08:30:00"],
  ["2026-12-01T12:00:00-05:00", "2026-12-01 18:00:00"],
  ["2026-07-01T00:00:00Z", "past"],
  ["2020-01-01T00:00:00Z", "past"],
  // The clocks of Berlin show 02:30 twice, and a wall time means one of them.
  ["2026-10-25T01:30:00Z", "repeated"],
  ["2026-07-01T12:00:00", "malformed"],
  ["2026-07-01", "malformed"],
  ["2026-13-01T12:00:00Z", "malformed"],
  ["in 1 hour", "malformed"],
  ["", "malformed"],
];
for (const [text, expected] of table)
  test(`${text}: ${expected}`, () => {
    const read = readWallTime(text, { timeZone: "Europe/Berlin", now });
    assert.equal("local" in read ? read.local : read.fault, expected);
  });

// Instants on the wire.

import assert from "node:assert/strict";
import test from "node:test";
import { isoTime } from "#contract/time.ts";

test("instants are ISO 8601 in UTC with milliseconds", () => {
  assert.equal(isoTime(1_767_225_600_001), "2026-01-01T00:00:00.001Z");
  assert.equal(isoTime(0), "1970-01-01T00:00:00.000Z");
});

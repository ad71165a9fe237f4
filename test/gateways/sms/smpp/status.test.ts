// Statuses have names and classes; what the standard does not list is the operator's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { classOf, refusedBinds, statusCode, statusName } from "#gateways/sms/smpp/status.ts";

test("a status is shown by number and name", () => {
  assert.deepEqual([statusName(0x0e), statusCode(0x0e)], ["0x0000000E (INVPASWD)", "smpp.0x0E"]);
  assert.deepEqual([statusName(0x410), statusCode(0x410)], ["0x00000410", "smpp.0x410"]);
});

test("both words for too fast are throttling, and the operator's own statuses have no class", () => {
  assert.deepEqual(
    [classOf(0x58), classOf(0x14), classOf(0x08), classOf(0x0b)],
    ["throttled", "throttled", "later", "message"],
  );
  assert.deepEqual([classOf(0x400), classOf(0)], [null, null]);
  for (const code of [0x05, 0x0d, 0x0e, 0x0f]) assert.ok(refusedBinds.has(code));
});

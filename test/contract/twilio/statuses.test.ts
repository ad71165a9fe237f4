// Statuses and codes as Twilio says them.

import assert from "node:assert/strict";
import test from "node:test";
import { statuses } from "#contract/messages/channel.ts";
import { postedStatuses, twilioErrorCode, twilioStatuses } from "#contract/twilio/statuses.ts";

test("a status of Twilio claims no more than ours, and only failures have a code", () => {
  const byWord = Object.groupBy(statuses, (status) => twilioStatuses[status]);
  assert.deepEqual(byWord.sent, ["sent"]);
  assert.deepEqual(byWord.delivered, ["delivered"]);
  assert.deepEqual(byWord.sending, ["sending", "unknown"]);
  assert.deepEqual(byWord.failed, ["failed", "expired", "suppressed"]);
  const withCode = statuses.filter((status) => twilioErrorCode(status, "x") !== null);
  assert.deepEqual(withCode, ["failed", "undelivered", "bounced", "expired", "suppressed"]);
  assert.ok(!postedStatuses.includes("unknown"));
});

const codes: [status: (typeof statuses)[number], code: string | null, expected: number | null][] = [
  ["failed", null, 30008],
  ["failed", "vendor_says_no", 30008],
  ["failed", "opted_out", 21610],
  ["failed", "invalid_recipient", 21211],
  ["suppressed", "suppressed", 21610],
  ["expired", "too_late", 30036],
  ["expired", null, 30036],
  // Of a gateway to Twilio itself.
  ["undelivered", "30005", 30005],
  ["failed", "63016", 63016],
  // Codes of other vendors are none of Twilio's.
  ["failed", "40001", 30008],
  ["failed", "constructor", 30008],
  ["delivered", "30005", null],
];
for (const [status, code, expected] of codes)
  test(`${status} for ${code}: ${expected}`, () => assert.equal(twilioErrorCode(status, code), expected));

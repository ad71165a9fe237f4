// What the app's texts mean.

import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf } from "#phones/failures.ts";

test("results of Android are known by their names, and texts of the app by their words", () => {
  const verdicts: Record<string, readonly [kind: string, code: string]> = {
    "Send result: RESULT_ERROR_NO_SERVICE (Failed because service is currently unavailable)": [
      "phone",
      "no_service",
    ],
    "Send result: RESULT_ERROR_RADIO_OFF": ["phone", "radio_off"],
    "Send result: RESULT_NO_DEFAULT_SMS_APP (x)": ["phone", "no_default_sms_app"],
    "Send result: RESULT_ERROR_LIMIT_EXCEEDED": ["limited", "limit_exceeded"],
    "Send result: RESULT_ERROR_SHORT_CODE_NOT_ALLOWED": ["rejected", "short_code_not_allowed"],
    "Send result: RESULT_ERROR_GENERIC_FAILURE": ["vague", "generic_failure"],
    "Send result: RESULT_MODEM_ERROR": ["vague", "modem_error"],
    "Can't send message: SIM 2 not found": ["phone", "sim_not_found"],
    "sendSMS: uid 10234 does not have android.permission.SEND_SMS.": ["phone", "permission_missing"],
    "TTL expired": ["expired", "expired"],
    "Delivery result: 64": ["delivery", "undelivered"],
    "Delivery result from SC +4917: 70": ["delivery", "undelivered"],
    "something new": ["vague", "send_failed"],
  };
  for (const [text, [kind, code]] of Object.entries(verdicts)) {
    const failure = failureOf(text);
    assert.deepEqual([failure.kind, failure.code, failure.reason], [kind, code, text]);
  }
  assert.equal(failureOf(null).kind, "vague");
});

test("only what fails before the first part certainly leaves no part sent", () => {
  assert.equal(failureOf("Can't send message: SIM 2 not found").nothingLeft, true);
  assert.equal(failureOf("Send result: RESULT_ERROR_NO_SERVICE").nothingLeft, undefined);
});

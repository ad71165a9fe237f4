// What remains of a long text whose parts did not all go.

import assert from "node:assert/strict";
import { test } from "node:test";
import { incomplete, inDoubt, referencesOf } from "#gateways/sms/smpp/partly-taken.ts";

const refused = { kind: "rejected", code: "smpp.0x0B", reason: "The SMSC refused it." } as const;

test("parts without an id, and those with the same, give no references of their own", () => {
  assert.deepEqual(referencesOf(["a", null, "a", "b"]), ["a", "b"]);
});

test("the first part's refusal is the message's; a later one leaves what was taken", () => {
  assert.equal(incomplete([], 3, refused), refused);
  assert.deepEqual(incomplete(["a"], 3, refused), {
    kind: "accepted",
    reference: "a",
    receipt: {
      status: "undelivered",
      code: "partial",
      reason: "The SMSC took 1 of 3 parts. The SMSC refused it.",
    },
  });
});

test("doubt names the part, and the references of those before it", () => {
  assert.deepEqual(inDoubt("silent", { taken: [], each: true, of: 1 }), {
    kind: "unknown",
    code: "timeout",
    reason: "The SMSC did not answer the message in time.",
  });
  assert.deepEqual(inDoubt("lost", { taken: ["a", null], each: true, of: 3 }), {
    kind: "unknown",
    code: "connection_lost",
    reason: "The connection to the SMSC was lost before it answered part 3 of 3.",
    parts: { references: ["a"], each: true, of: 3 },
  });
});

// What refusals say about an address: no address counts as gone because of a mail's size, its content, or us.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { bounceOf, isAddressFault, statusIn } from "#contract/messages/bounce-class.ts";

test("hard, soft and no fault of the address, as large providers put it", () => {
  const cases: [status: string | null, text: string, verdict: "hard" | "soft" | null][] = [
    ["5.1.1", "550-5.1.1 The email account that you tried to reach does not exist.", "hard"],
    ["5.1.10", "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found", "hard"],
    ["5.1.2", "Host not found", "hard"],
    ["5.2.1", "The email account that you tried to reach is disabled", "hard"],
    ["5.4.310", "DNS domain nowhere.example does not exist", "hard"],
    ["5.4.1", "550 5.4.1 Recipient address rejected: Access denied.", "hard"],
    ["5.0.0", "554 delivery error: dd This user doesn't have a yahoo.com account", "hard"],
    ["5.5.0", "550 5.5.0 Requested action not taken: mailbox unavailable", "hard"],
    [null, "550 No such user here", "hard"],
    [null, "550 5.1.1 gone", "hard"],
    ["4.2.2", "452 The recipient's inbox is out of storage space", "soft"],
    ["5.2.2", "552 5.2.2 Mailbox full", "soft"],
    ["5.0.0", "552 quota exceeded", "soft"],
    ["4.4.7", "Message expired", "soft"],
    ["5.4.4", "unable to route", "soft"],
    ["5.4.7", "delivery time expired", "soft"],
    [null, "something went wrong", "soft"],
    [null, "452 mailbox full", "soft"],
    ["5.7.1", "550 5.7.1 Message rejected as spam by content filter; unknown user agent", null],
    ["5.7.26", "unauthenticated mail is prohibited", null],
    ["4.7.0", "greylisted", null],
    ["5.3.4", "552 5.3.4 Message size exceeds fixed limit", null],
    ["5.2.3", "Message too large for this mailbox", null],
    ["5.6.0", "Content conversion failed", null],
    ["5.1.8", "550 5.1.8 Bad sender's system address", null],
    ["5.1.7", "bad sender", null],
  ];
  for (const [status, text, verdict] of cases)
    assert.equal(bounceOf(status, text), verdict, `${status} ${text}`);
});

test("a code is found in words, and an address of a machine is no code", () => {
  assert.equal(statusIn("smtp; 550-5.1.1 no such"), "5.1.1");
  assert.equal(statusIn("It said 5.1.1. Bye"), "5.1.1");
  assert.equal(statusIn("host 5.1.1.20 said 450"), null);
  assert.equal(statusIn("Postfix 2.5.1 of 15.1.1"), null);
  assert.equal(statusIn(""), null);
});

test("a refusal at once is the address's fault by its code, or by a plain 550 and clear words", () => {
  for (const code of ["5.1.1", "550 5.1.1", "5.1.10", "5.1.2", "5.2.1"])
    assert.ok(isAddressFault(code, ""), code);
  for (const code of ["5.1.7", "5.1.8", "5.7.1", "4.1.1", "5.11.1", "http_422", "", "550"])
    assert.ok(!isAddressFault(code, ""), code);
  assert.ok(isAddressFault("550", "No such user here"));
  assert.ok(isAddressFault("551", "The mailbox was not found."));
  assert.ok(!isAddressFault("550", "Your account is disabled"));
  assert.ok(!isAddressFault("554", "No such user here"));
  assert.ok(!isAddressFault("5.7.1", "No such user here"));
});

test("any reply of a server has a class, and policy never counts", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.integer({ min: 0, max: 999 }), (text, detail) => {
      assert.ok(["hard", "soft", null].includes(bounceOf(null, text)));
      assert.equal(bounceOf(`5.7.${detail}`, text), null);
    }),
  );
});

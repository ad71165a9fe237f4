// What refusals say about an address: no address counts as gone because of a mail's size, its content, or us.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { bounceOf, isAddressFault, replyStatusIn, statusIn } from "#contract/messages/bounce-class.ts";

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
    ["5.4.4", "unable to route", "hard"],
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
    // About the sender, its DNS, its client, policy and lists, with any code.
    [
      "5.0.0",
      "550-Verification failed for <news@acme.example> 550-No Such User Here 550 Sender verify failed",
      null,
    ],
    ["5.0.0", "554 <news@acme.example>: Sender address rejected: Domain not found", null],
    ["5.0.0", "554 Mail rejected: the client address has unknown reverse DNS", null],
    ["5.1.1", "550 Helo command rejected: Host not found", null],
    ["5.1.0", "550 Your IP is on a block list; unknown user or address", null],
    ["5.1.3", "553 http://www.spamhaus.org/query/bl?ip=192.0.2.9", null],
    ["5.1.1", "550 rejected due to local policy: unknown recipient", null],
    [null, "550 Domain of sender address news@acme.example does not exist", null],
    ["5.1.1", "550 Recipient verify failed: user unknown", "hard"],
    ["5.1.1", "Your message to ada@example.org was not delivered: no such user", "hard"],
    // The mailbox exists.
    ["5.2.1", "550-5.2.1 The user you are trying to contact is receiving mail at a rate that", "soft"],
    ["5.1.1", "552 sorry, mailbox ada@example.org is over quota temporarily (#5.1.1)", "soft"],
    ["5.1.1", "550 192.0.2.9 has sent to too many recipients this hour", "soft"],
    // Found out by the server itself: no code at all, or a vague one.
    [null, "Unrouteable address", "hard"],
    ["5.0.0", "Host or domain name not found. Name service error for name=gmail.ocm", "hard"],
    [null, "550: <ada@example.org>: User unknown", "hard"],
    [null, "450 User unknown", "soft"],
    // A word of a link is not the reply's.
    ["5.1.1", "550 5.1.1 No such user; see https://example.org/spam/policy/sender", "hard"],
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

test("a reply's own code is the one behind its basic code, the last of several", () => {
  for (const [text, status] of [
    ["smtp; 550 5.7.1 IP address blacklisted by recipient", "5.7.1"],
    ["5.1.0 - Unknown address error 550-'5.7.1 <x>... Access denied'", "5.7.1"],
    ["552-5.2.2 first 552 5.2.1 last", "5.2.1"],
    ["over quota temporarily (#5.1.1)", null],
    ["X-Postfix; delivery temporarily suspended: 450 4.7.1 later", "4.7.1"],
    ["150 5.1.1", null],
  ] as const)
    assert.equal(replyStatusIn(text), status, text);
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
  assert.ok(
    !isAddressFault(
      "550",
      "Verification failed for <us@acme.example> No Such User Here Sender verify failed",
    ),
  );
  assert.ok(!isAddressFault("5.2.1", "The user is receiving mail at a rate that prevents it"));
});

test("any reply of a server has a class, and policy never counts", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.integer({ min: 0, max: 999 }), (text, detail) => {
      assert.ok(["hard", "soft", null].includes(bounceOf(null, text)));
      assert.equal(bounceOf(`5.7.${detail}`, text), null);
    }),
  );
});

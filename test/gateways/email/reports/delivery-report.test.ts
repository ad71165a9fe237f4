// Reports of mail servers: what the large ones write is understood, what people's programs answer is nothing, and
// no bytes are too much.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { type MailReport, readReport, toReports } from "#gateways/email/reports/delivery-report.ts";
import { ourId, samples } from "../report-samples.ts";

type Sample = keyof typeof samples;
const reportsOf = (name: Sample) => toReports(readReport(samples[name]), ourId);

test("failures: their code, their words, and what they say of the address", () => {
  const expected: [
    name: Sample,
    code: string | undefined,
    bounce: "hard" | "soft" | undefined,
    reason: RegExp,
  ][] = [
    ["rfcFailed", "4.0.0", "soft", /^426 connection timed out$/],
    ["gmail", "5.1.1", "hard", /^550-5\.1\.1 The email account .* gsmtp$/],
    ["exchange", "5.1.10", "hard", /RecipientNotFound/],
    ["postfixFull", "5.2.2", "soft", /Mailbox full/],
    ["tooLarge", "5.3.4", undefined, /size/],
    ["spam", "5.7.1", undefined, /spam/],
    ["yahoo", "5.0.0", "hard", /doesn't have a yahoo\.com account/],
    ["qmail", "5.1.1", "hard", /^Remote host said: 550 5\.1\.1 No such user here$/],
    ["exim", "5.1.1", "hard", /User unknown/],
    ["eximCopy", undefined, "hard", /^Unrouteable address$/],
    ["answered", "5.1.1", "hard", /User Unknown/],
    ["encodedSubject", "5.1.1", "hard", /User Unknown/],
    ["colonBehindCode", undefined, "hard", /said: 550 <absent@example\.org>: User unknown$/],
    ["wordsAlone", undefined, "hard", /^Unknown user/],
    ["contradicting", "5.7.1", undefined, /blacklisted/],
    ["noDomain", "5.4.4", "hard", /not found/],
  ];
  for (const [name, code, bounce, reason] of expected) {
    const { receipts, engagements } = reportsOf(name);
    assert.deepEqual(engagements, [], name);
    const [receipt] = receipts;
    assert.deepEqual([receipt?.status, receipt?.code, receipt?.bounce], ["bounced", code, bounce], name);
    assert.match(receipt?.reason ?? "", reason, name);
    assert.deepEqual([receipt?.messageId, receipt?.reference], [ourId, null]);
  }
});

test("of several recipients the one that fared worst comes first, and each is named", () => {
  const { receipts, engagements } = reportsOf("severalRecipients");
  assert.equal(receipts[0]?.code, "5.1.1");
  const named = [...receipts, ...engagements].map(({ recipient }) => recipient);
  assert.ok(named.length > 1);
  assert.equal(new Set(named).size, named.length);
});

test("delays, deliveries, complaints and opt-outs", () => {
  assert.deepEqual(reportsOf("postfixDelayed"), {
    receipts: [],
    engagements: [
      {
        kind: "deferred",
        reference: null,
        messageId: ourId,
        reason: "connect to mail.example.org[192.0.2.9]:25: Connection timed out · 4.4.1",
        recipient: "slow@example.org",
      },
    ],
  });
  assert.deepEqual(reportsOf("delivered").receipts, [
    { reference: null, messageId: ourId, status: "delivered", recipient: "one@example.org" },
  ]);
  for (const name of ["abuse", "fraud"] as const)
    assert.deepEqual(
      [reportsOf(name).engagements[0]?.kind, reportsOf(name).receipts.length],
      ["complained", 0],
    );
  assert.equal(reportsOf("microsoft").engagements[0]?.kind, "complained");
  assert.equal(reportsOf("optOut").engagements[0]?.kind, "unsubscribed");
});

test("what people's programs answer, and what says nothing new, is nothing", () => {
  const replies: [name: Sample, why: string][] = [
    ["outOfOffice", "auto_reply"],
    ["readReceipt", "auto_reply"],
    ["vacation", "auto_reply"],
    ["challenge", "other"],
    ["person", "other"],
    ["relayed", "other"],
    ["notSpam", "other"],
    ["authFailure", "other"],
  ];
  for (const [name, why] of replies) {
    assert.deepEqual(readReport(samples[name]), { kind: "none", why }, name);
    assert.deepEqual(reportsOf(name), { receipts: [], engagements: [] });
  }
});

test("our id is found in the mail that is returned, in a copy of it, or in what the report answers", () => {
  const idOf = (report: MailReport) => (report.kind === "none" ? undefined : report.original.messageId);
  for (const name of [
    "gmail",
    "abuse",
    "base64Status",
    "eximCopy",
    "answered",
    "encodedSubject",
    "microsoft",
  ] as const)
    assert.equal(idOf(readReport(samples[name])), ourId, name);
  assert.equal(idOf(readReport(samples.qmail)), null);
});

test("a report that is wrapped, encoded, or has bare line ends is read the same", () => {
  assert.equal(reportsOf("base64Status").receipts[0]?.code, "5.1.1");
  const bare = Buffer.from(samples.gmail.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  assert.deepEqual(readReport(bare), readReport(samples.gmail));
});

test("a report cut off anywhere, or changed anywhere, is no fault", () => {
  for (const [name, sample] of Object.entries(samples)) {
    // One of them is about several recipients.
    const recipients = name === "severalRecipients" ? 4 : 1;
    for (let length = 0; length < sample.length; length += 37) {
      const { receipts, engagements } = toReports(readReport(sample.subarray(0, length)), ourId);
      assert.ok(receipts.length + engagements.length <= recipients, `${length} bytes`);
    }
  }
  const any = fc.constantFrom(...Object.values(samples));
  fc.assert(
    fc.property(any, fc.nat(), fc.uint8Array({ maxLength: 20 }), (sample, at, junk) => {
      const from = at % sample.length;
      const changed = Buffer.concat([sample.subarray(0, from), junk, sample.subarray(from + junk.length)]);
      const { receipts, engagements } = toReports(readReport(changed), ourId);
      // At most one for each recipient that the samples name.
      assert.ok(receipts.length + engagements.length <= 4);
      for (const { reason = "" } of [...receipts, ...engagements]) {
        assert.ok(reason.length <= 520);
        assert.ok(!/[\u0000-\u001f\u007f]/.test(reason));
      }
    }),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => assert.equal(readReport(bytes).kind, "none")),
  );
});

test("a megabyte of boundaries, line ends or header signs is read, and holds no report", () => {
  const million = (text: string) => Buffer.from(text.repeat(Math.ceil(1_200_000 / text.length)));
  const head = "Content-Type: multipart/report; boundary=a\r\n\r\n";
  for (const body of [
    "--a\r\n",
    "--a\r\nContent-Type: multipart/x; boundary=a\r\n\r\n",
    "\n\n",
    "a:b\n ",
    "=\n",
    "-",
    " ",
  ])
    assert.equal(readReport(Buffer.concat([Buffer.from(head), million(body)])).kind, "none", body);
  for (const header of ["a: b\r\n", " ", "\t\r\n", ";", "Content-Type: ;=;"])
    assert.equal(readReport(million(header)).kind, "none", header);
});

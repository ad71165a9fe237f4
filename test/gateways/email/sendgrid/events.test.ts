// SendGrid's events, on the examples of its documentation and on recorded ones.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mailEventReader } from "#gateways/email/mail-events.ts";
import { sendgridEvents } from "#gateways/email/sendgrid/sendgrid.ts";
import { seed } from "../../conformance-samples.ts";

const shared = {
  email: "example@test.com",
  timestamp: 1_513_299_569,
  "smtp-id": "<14c5d75ce93.dfd.64b469@ismtpd-555>",
  category: "cat facts",
  sg_event_id: "sg_event_id",
  sg_message_id: "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0",
  trunkline_message: "msg_01test",
};
const named = { reference: "14c5d75ce93.dfd.64b469", messageId: "msg_01test", at: 1_513_299_569_000 };
const recipient = "example@test.com";
const readEvents = mailEventReader(sendgridEvents);
const received = (...events: unknown[]) => readEvents(Buffer.from(JSON.stringify(events)));
const receipt = (report: object) => ({
  kind: "received",
  receipts: [{ ...named, recipient, ...report }],
  inbound: [],
});
const engagement = (report: object) => ({
  kind: "received",
  receipts: [],
  inbound: [],
  engagements: [{ ...named, recipient, key: "sg_event_id", ...report }],
});
const nothing = { kind: "received", receipts: [], inbound: [] };

const events: [name: string, event: object, expected: object][] = [
  ["processed", { event: "processed" }, receipt({ status: "sent" })],
  ["delivered", { event: "delivered", response: "250 OK", tls: 1 }, receipt({ status: "delivered" })],
  [
    "bounce, for good",
    {
      event: "bounce",
      type: "bounce",
      status: "5.1.1",
      reason: "550 5.1.1 The email account does not exist.",
    },
    receipt({
      status: "bounced",
      bounce: "hard",
      code: "5.1.1",
      reason: "550 5.1.1 The email account does not exist.",
    }),
  ],
  [
    "bounce, blocked",
    {
      event: "bounce",
      type: "blocked",
      status: "5.7.1",
      reason: "554 5.7.1 listed",
      bounce_classification: "Reputation",
    },
    receipt({ status: "bounced", code: "5.7.1", reason: "554 5.7.1 listed" }),
  ],
  [
    "bounce, expired, without a code or words",
    { event: "bounce", type: "expired", status: "", bounce_classification: "Technical" },
    receipt({ status: "bounced", bounce: "soft", reason: "Technical" }),
  ],
  [
    "bounce with a status that may pass",
    { event: "bounce", type: "bounce", status: "4.2.2", reason: "mailbox full" },
    receipt({ status: "bounced", bounce: "soft", code: "4.2.2", reason: "mailbox full" }),
  ],
  ...["Bounced Address", "Invalid"].map((reason): [string, object, object] => [
    `dropped: ${reason}`,
    { event: "dropped", reason },
    receipt({
      status: "bounced",
      bounce: "hard",
      code: "dropped",
      reason: `SendGrid did not send the mail: ${reason}.`,
    }),
  ]),
  ...["Unsubscribed Address", "Spam Reporting Address", "Spam Content"].map(
    (reason): [string, object, object] => [
      `dropped: ${reason}`,
      { event: "dropped", reason },
      receipt({
        status: "failed",
        code: "dropped",
        reason: `SendGrid did not send the mail: ${reason}.`,
      }),
    ],
  ),
  [
    "dropped without words",
    { event: "dropped" },
    receipt({
      status: "failed",
      code: "dropped",
      reason: "SendGrid did not send the mail: no reason given.",
    }),
  ],
  [
    "deferred",
    { event: "deferred", response: "400 try again later", attempt: "5" },
    engagement({ kind: "deferred", reason: "400 try again later" }),
  ],
  [
    "open",
    {
      event: "open",
      useragent: "Mozilla/4.0 (compatible; MSIE 6.1)",
      ip: "255.255.255.255",
      sg_machine_open: false,
    },
    engagement({ kind: "opened", userAgent: "Mozilla/4.0 (compatible; MSIE 6.1)", ip: "255.255.255.255" }),
  ],
  [
    "open by a machine",
    { event: "open", useragent: "Mozilla/5.0", sg_machine_open: true },
    engagement({ kind: "opened", userAgent: "Mozilla/5.0", machine: true }),
  ],
  [
    "click",
    {
      event: "click",
      useragent: "Mozilla/4.0",
      ip: "255.255.255.255",
      url: "http://www.sendgrid.com/",
      url_offset: { index: 0, type: "html" },
    },
    engagement({
      kind: "clicked",
      userAgent: "Mozilla/4.0",
      ip: "255.255.255.255",
      url: "http://www.sendgrid.com/",
    }),
  ],
  ["spamreport", { event: "spamreport" }, engagement({ kind: "complained" })],
  ["unsubscribe", { event: "unsubscribe" }, engagement({ kind: "unsubscribed" })],
  [
    "group_unsubscribe",
    { event: "group_unsubscribe", asm_group_id: 10, useragent: "Mozilla/4.0" },
    engagement({ kind: "unsubscribed" }),
  ],
  ["group_resubscribe", { event: "group_resubscribe", asm_group_id: 10 }, nothing],
  ["account_status_change", { event: "account_status_change", type: "compliance_suspend" }, nothing],
];

for (const [name, event, expected] of events) {
  test(name, () => {
    assert.deepEqual(received({ ...shared, ...event }), expected);
  });
}

test("a batch gives what each of its events gives", () => {
  const result = received(...events.map(([, event]) => ({ ...shared, ...event })));
  assert.equal(result.kind, "received");
  assert.equal(result.receipts.length, 12);
  assert.equal(result.engagements?.length, 7);
});

test("the send call's id is found in front of the servers' names", () => {
  const ids = new Map<string, string | null>([
    ["wrfRRvF7Q0GgwUo2CvDmEA.filter0425p1mdw1.13037.57168B4A1D.0", "wrfRRvF7Q0GgwUo2CvDmEA"],
    ["gaTkRPgUSZ-Ry1ZfBrR7Wg.recvd-canary-576c4b7f56-svkzz-1-66EB2A61-1B.0", "gaTkRPgUSZ-Ry1ZfBrR7Wg"],
    ["14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0", "14c5d75ce93.dfd.64b469"],
    ["wrfRRvF7Q0GgwUo2CvDmEA", "wrfRRvF7Q0GgwUo2CvDmEA"],
    ["filter0093p1las1.9128.5717FB8127.0", null],
    ["recvd-1.2", null],
    ["nul\u0000.filter", null],
    ["x".repeat(500), null],
    ["", null],
  ]);
  for (const [sg_message_id, reference] of ids) {
    const result = received({ event: "delivered", sg_message_id, trunkline_message: "msg_1" });
    assert.equal(result.kind, "received");
    assert.deepEqual(result.receipts, [{ status: "delivered", reference, messageId: "msg_1" }]);
  }
});

test("an event that names no mail gives nothing, and the others in its call still count", () => {
  const good = { ...shared, event: "delivered" };
  const result = received({ event: "delivered" }, null, 1, "x", [], { ...good, sg_message_id: 5 }, good);
  assert.equal(result.kind, "received");
  assert.equal(result.receipts.length, 2);
});

test("what is no list of events is malformed", () => {
  for (const text of ["", "{}", '{"event":"open"}', "null", "[", "hello"]) {
    assert.equal(readEvents(Buffer.from(text)).kind, "malformed", text);
  }
  assert.deepEqual(readEvents(Buffer.from("[]")), nothing);
});

test("no event of any shape throws, and reasons stay clean", () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom("x".repeat(5000), "\u0000\ud800", "msg_1", "1.2.3"));
  const event = fc.dictionary(
    fc.constantFrom(
      "event",
      "type",
      "reason",
      "response",
      "status",
      "url",
      "sg_event_id",
      "timestamp",
      "useragent",
    ),
    value,
  );
  const named = fc.constantFrom(...events.map(([, each]) => each), {});
  fc.assert(
    fc.property(fc.array(fc.tuple(named, event)), (list) => {
      const result = received(...list.map(([first, more]) => ({ ...shared, ...first, ...more })));
      assert.equal(result.kind, "received");
      for (const report of [...result.receipts, ...(result.engagements ?? [])]) {
        const { reason = "a" } = report;
        assert.ok(reason.length > 0 && !/[\p{Cc}]/u.test(reason));
        if (report.at !== undefined) assert.ok(Number.isFinite(report.at));
      }
    }),
    { numRuns: 1000, seed },
  );
});

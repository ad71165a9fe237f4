// SES's events, on the example records of its documentation
// (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html).

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Received } from "#gateways/callback.ts";
import { receivedFrom } from "#gateways/email/ses/events.ts";
import { seed } from "../../conformance-samples.ts";

const id = "EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000";
const mail = {
  timestamp: "2017-08-05T00:40:02.012Z",
  source: "Sender Name <sender@example.com>",
  sendingAccountId: "123456789012",
  messageId: id,
  destination: ["recipient@example.com"],
  headersTruncated: false,
  headers: [{ name: "From", value: "Sender Name <sender@example.com>" }],
  tags: { "ses:configuration-set": ["ConfigSet"], trunkline_message: ["msg_01test"] },
};
const named = { reference: id, messageId: "msg_01test" };
const received = (event: object) => receivedFrom(JSON.stringify({ mail, ...event }), "sns-1");
const receipt = (report: object) => ({
  kind: "received",
  receipts: [{ ...named, ...report }],
  inbound: [],
  engagements: [],
});
const engagement = (report: object) => ({
  kind: "received",
  receipts: [],
  inbound: [],
  engagements: [{ ...named, key: "sns-1", ...report }],
});
const nothing: Received = { kind: "received", receipts: [], inbound: [], engagements: [] };

const bounce = (change: object, recipient: object = {}) => ({
  eventType: "Bounce",
  bounce: {
    bounceType: "Permanent",
    bounceSubType: "General",
    bouncedRecipients: [
      {
        emailAddress: "recipient@example.com",
        action: "failed",
        status: "5.1.1",
        diagnosticCode: "smtp; 550 5.1.1 user unknown",
        ...recipient,
      },
    ],
    timestamp: "2017-08-05T00:41:02.669Z",
    feedbackId: "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
    reportingMTA: "dsn; mta.example.com",
    ...change,
  },
});
const bouncedAt = Date.UTC(2017, 7, 5, 0, 41, 2, 669);
const complaint = (change: object = {}) => ({
  eventType: "Complaint",
  complaint: {
    complainedRecipients: [{ emailAddress: "recipient@example.com" }],
    timestamp: "2017-08-05T00:41:02.669Z",
    feedbackId: "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
    userAgent: "Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/537.36",
    complaintFeedbackType: "abuse",
    arrivalDate: "2017-08-05T00:41:02.669Z",
    ...change,
  },
});

const events: [name: string, event: object, expected: object][] = [
  [
    "Send",
    { eventType: "Send", send: {} },
    receipt({ status: "sent", at: Date.UTC(2017, 7, 5, 0, 40, 2, 12) }),
  ],
  [
    "Delivery",
    {
      eventType: "Delivery",
      delivery: {
        timestamp: "2016-10-19T23:21:04.133Z",
        processingTimeMillis: 11893,
        recipients: ["recipient@example.com"],
        smtpResponse: "250 2.6.0 Message received",
        reportingMTA: "mta.example.com",
      },
    },
    receipt({
      recipient: "recipient@example.com",
      status: "delivered",
      at: Date.UTC(2016, 9, 19, 23, 21, 4, 133),
    }),
  ],
  [
    "Bounce, permanent",
    bounce({}),
    receipt({
      recipient: "recipient@example.com",
      status: "bounced",
      bounce: "hard",
      code: "5.1.1",
      reason: "smtp; 550 5.1.1 user unknown",
      at: bouncedAt,
    }),
  ],
  [
    "Bounce, transient",
    bounce(
      { bounceType: "Transient", bounceSubType: "MailboxFull" },
      { status: "5.2.2", diagnosticCode: "smtp; 552 5.2.2 mailbox full" },
    ),
    receipt({
      recipient: "recipient@example.com",
      status: "bounced",
      bounce: "soft",
      code: "5.2.2",
      reason: "smtp; 552 5.2.2 mailbox full",
      at: bouncedAt,
    }),
  ],
  [
    "Bounce, undetermined, without details",
    bounce({ bounceType: "Undetermined", bounceSubType: "Undetermined", bouncedRecipients: [] }),
    receipt({
      status: "bounced",
      bounce: "soft",
      code: "Undetermined",
      reason: "SES reports: Undetermined.",
      at: bouncedAt,
    }),
  ],
  [
    "Bounce, of a kind that is no name: what is left of it could be a secret that is not known again",
    bounce({ bounceType: "Undetermined", bounceSubType: "s3cret/+=", bouncedRecipients: [] }),
    receipt({ status: "bounced", bounce: "soft", reason: "SES reports: s3cret/+=.", at: bouncedAt }),
  ],
  [
    "Bounce, on SES's suppression list",
    bounce({
      bounceSubType: "OnAccountSuppressionList",
      bouncedRecipients: [{ emailAddress: "a@example.com" }],
    }),
    receipt({
      recipient: "a@example.com",
      status: "bounced",
      bounce: "hard",
      code: "OnAccountSuppressionList",
      reason: "SES reports: OnAccountSuppressionList.",
      at: bouncedAt,
    }),
  ],
  [
    "Complaint",
    complaint(),
    engagement({ recipient: "recipient@example.com", kind: "complained", reason: "abuse", at: bouncedAt }),
  ],
  [
    "Complaint, not typed",
    complaint({ complaintFeedbackType: null }),
    engagement({ recipient: "recipient@example.com", kind: "complained", at: bouncedAt }),
  ],
  ["Complaint that takes one back", complaint({ complaintFeedbackType: "not-spam" }), nothing],
  [
    "Complaint of earlier, so that nothing was sent",
    complaint({ complaintSubType: "OnAccountSuppressionList" }),
    receipt({
      recipient: "recipient@example.com",
      status: "failed",
      code: "OnAccountSuppressionList",
      reason: "SES sends nothing to this address, because it complained before.",
      at: bouncedAt,
    }),
  ],
  [
    "Reject",
    { eventType: "Reject", reject: { reason: "Bad content" } },
    receipt({
      status: "failed",
      code: "Reject",
      reason: "SES did not send the mail: Bad content.",
      at: Date.UTC(2017, 7, 5, 0, 40, 2, 12),
    }),
  ],
  [
    "Rendering Failure",
    {
      eventType: "Rendering Failure",
      failure: { errorMessage: "Attribute 'attributeName' is not present.", templateName: "MyTemplate" },
    },
    receipt({
      status: "failed",
      code: "RenderingFailure",
      reason: "Attribute 'attributeName' is not present.",
      at: Date.UTC(2017, 7, 5, 0, 40, 2, 12),
    }),
  ],
  [
    "Open",
    {
      eventType: "Open",
      open: {
        ipAddress: "192.0.2.1",
        timestamp: "2017-08-09T22:00:19.652Z",
        userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 10_3_3 like Mac OS X) Mobile/14G60",
      },
    },
    engagement({
      kind: "opened",
      ip: "192.0.2.1",
      userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 10_3_3 like Mac OS X) Mobile/14G60",
      at: Date.UTC(2017, 7, 9, 22, 0, 19, 652),
    }),
  ],
  [
    "Click",
    {
      eventType: "Click",
      click: {
        ipAddress: "192.0.2.1",
        link: "http://docs.aws.amazon.com/ses/latest/DeveloperGuide/send-email-smtp.html",
        linkTags: { samplekey0: ["samplevalue0"] },
        timestamp: "2017-08-09T23:51:25.570Z",
        userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64)",
      },
    },
    engagement({
      kind: "clicked",
      ip: "192.0.2.1",
      userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64)",
      url: "http://docs.aws.amazon.com/ses/latest/DeveloperGuide/send-email-smtp.html",
      at: Date.UTC(2017, 7, 9, 23, 51, 25, 570),
    }),
  ],
  [
    "DeliveryDelay",
    {
      eventType: "DeliveryDelay",
      deliveryDelay: {
        timestamp: "2020-06-16T00:25:40.095Z",
        delayType: "TransientCommunicationFailure",
        expirationTime: "2020-06-16T00:25:40.914Z",
        delayedRecipients: [
          {
            emailAddress: "recipient@example.com",
            status: "4.4.1",
            diagnosticCode: "smtp; 421 4.4.1 Unable to connect to remote host",
          },
        ],
      },
    },
    engagement({
      kind: "deferred",
      reason: "smtp; 421 4.4.1 Unable to connect to remote host",
      at: Date.UTC(2020, 5, 16, 0, 25, 40, 95),
    }),
  ],
  [
    "DeliveryDelay without words",
    { eventType: "DeliveryDelay", deliveryDelay: { delayType: "SpamDetected" } },
    engagement({ kind: "deferred", reason: "SpamDetected" }),
  ],
  [
    "Subscription, from everything",
    {
      eventType: "Subscription",
      subscription: {
        contactList: "ContactListName",
        timestamp: "2022-01-12T01:00:17.910Z",
        source: "UnsubscribeHeader",
        newTopicPreferences: { unsubscribeAll: true, topicSubscriptionStatus: [] },
        oldTopicPreferences: { unsubscribeAll: false, topicSubscriptionStatus: [] },
      },
    },
    engagement({ kind: "unsubscribed", at: Date.UTC(2022, 0, 12, 1, 0, 17, 910) }),
  ],
  [
    "Subscription, of one topic",
    {
      eventType: "Subscription",
      subscription: { newTopicPreferences: { unsubscribeAll: false, topicSubscriptionStatus: [] } },
    },
    nothing,
  ],
  ["an event that is new", { eventType: "Teleported" }, nothing],
];

for (const [name, event, expected] of events) {
  test(name, () => {
    assert.deepEqual(received(event), expected);
  });
}

test("an identity's own notification has another name for its type, and no tags", () => {
  const { tags: _tags, ...untagged } = mail;
  const delivery = { timestamp: "2016-10-19T23:21:04.133Z" };
  assert.deepEqual(received({ notificationType: "Delivery", delivery, mail: untagged }), {
    kind: "received",
    receipts: [{ reference: id, status: "delivered", at: Date.UTC(2016, 9, 19, 23, 21, 4, 133) }],
    inbound: [],
    engagements: [],
  });
});

test("what SES says to a new topic is no event, and no error", () => {
  assert.deepEqual(
    receivedFrom("Successfully validated SNS topic for Amazon SES event publishing.", "1"),
    nothing,
  );
  assert.deepEqual(
    receivedFrom(
      JSON.stringify({
        notificationType: "AmazonSnsSubscriptionSucceeded",
        message: "You have successfully subscribed your Amazon SNS topic",
      }),
      "1",
    ),
    nothing,
  );
});

test("what is no event is malformed", () => {
  for (const text of ["", "Hello", "{}", "[]", "null", '{"eventType":1}', '{"eventType":"Send"}']) {
    assert.equal(receivedFrom(text, "1").kind, "malformed", text);
  }
  assert.equal(receivedFrom('{"eventType":"Send","mail":{"messageId":"nul\\u0000"}}', "1").kind, "malformed");
});

test("an id that is not one of ours is not taken for one", () => {
  for (const tag of ["acc_1", "msg_", "msg_1 or 1=1", `msg_${"x".repeat(80)}`, ["msg_1"], null]) {
    const result = received({ eventType: "Send", mail: { ...mail, tags: { trunkline_message: [tag] } } });
    assert.deepEqual(result, {
      kind: "received",
      receipts: [{ status: "sent", at: Date.UTC(2017, 7, 5, 0, 40, 2, 12), reference: id }],
      inbound: [],
      engagements: [],
    });
  }
});

test("no event of any shape throws, and reasons stay clean", () => {
  const names = events.map(([, event]) => (event as { eventType: string }).eventType);
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("x".repeat(5000), "\u0000\ud800", "Permanent", "5.1.1"),
  );
  const section = fc.dictionary(
    fc.constantFrom(
      "timestamp",
      "bounceType",
      "bounceSubType",
      "bouncedRecipients",
      "link",
      "userAgent",
      "reason",
    ),
    value,
  );
  const event = fc.record({
    eventType: fc.oneof(fc.constantFrom(...names), value),
    mail: fc.oneof(fc.constant(mail), value),
    ...Object.fromEntries(
      [
        "bounce",
        "complaint",
        "delivery",
        "open",
        "click",
        "deliveryDelay",
        "subscription",
        "failure",
        "reject",
      ].map((name) => [name, fc.oneof(section, value)]),
    ),
  });
  fc.assert(
    fc.property(event, (shape) => {
      const result = receivedFrom(JSON.stringify(shape), "1");
      if (result.kind !== "received") return;
      for (const report of [...result.receipts, ...(result.engagements ?? [])]) {
        assert.ok(report.reference !== null || report.messageId !== undefined);
        const { reason = "a" } = report;
        assert.ok(reason.length > 0 && !/[\p{Cc}]/u.test(reason));
        if ("code" in report && report.code !== undefined) assert.match(report.code, /^[\w.]{1,64}$/);
        if (report.at !== undefined) assert.ok(Number.isFinite(report.at));
      }
    }),
    { numRuns: 2000, seed },
  );
});

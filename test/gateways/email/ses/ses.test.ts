// Amazon SES on recorded traffic: requests to the byte, every documented error, and events through a signed topic.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ses } from "#gateways/email/ses/ses.ts";
import { gatewayConformance } from "../../conformance.ts";
import { sampleAttachment, sampleEmail, toolsWith } from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";
import {
  amazon,
  awsHeaders,
  envelope,
  posted,
  secretKey,
  settings,
  sign,
  signed,
  subscribeUrl,
  subscription,
  topic,
} from "./ses-example.ts";

const host = "email.eu-central-1.amazonaws.com";
const path = "/v2/email/outbound-emails";
const reference = "010701933a3c2a5e-0e4e6a0f-8d3e-4f4e-9c5a-1d2f3a4b5c6d-000000";

const failure = (status: number, name: string, message: string, headers: Record<string, string> = {}) =>
  answer(status, { message }, { "x-amzn-errortype": name, ...headers });

const request = (body: object, change: { host?: string; path?: string; url?: string } = {}) => {
  const text = JSON.stringify(body);
  return {
    method: "POST",
    url: change.url ?? `https://${host}${path}`,
    headers: awsHeaders(change.host ?? host, change.path ?? path, text),
    body: text,
  };
};

const text = (data: string) => ({ Data: data, Charset: "UTF-8" });
const plain = {
  FromEmailAddress: '"Example" <news@example.com>',
  Destination: { ToAddresses: ["ada@example.com"] },
  Content: { Simple: { Subject: text("Grüße"), Body: { Text: text("Hallo & willkommen 🎉") } } },
  EmailTags: [{ Name: "trunkline_message", Value: "msg_01test" }],
  ConfigurationSetName: "main",
};

const event = (type: string, more: object = {}) => ({
  body: Buffer.from(
    JSON.stringify({
      eventType: type,
      mail: {
        messageId: reference,
        timestamp: "2026-11-20T11:59:50.000Z",
        tags: { trunkline_message: ["msg_1"] },
      },
      ...more,
    }),
  ),
});
const unverified =
  "Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: ";

gatewayConformance(ses, {
  settings,
  refused: [
    { settings: {}, path: "region", says: /string/ },
    { settings: { ...settings, from: "Example <news@example.com>" }, path: "from", says: /plain/ },
    { settings: { ...settings, region: "Frankfurt" }, path: "region", says: /region/ },
    { settings: { ...settings, region: "eu-central-1.evil.test/" }, path: "region", says: /region/ },
    { settings: { ...settings, access_key_id: "AKID/../" }, path: "access_key_id", says: /access key/ },
    { settings: { ...settings, secret_access_key: "" }, path: "secret_access_key", says: /./ },
    { settings: { ...settings, configuration_set: "a b" }, path: "configuration_set", says: /name/ },
    {
      settings: { ...settings, topic_arn: "arn:aws:sqs:eu-central-1:123456789012:q" },
      path: "topic_arn",
      says: /SNS/,
    },
    { settings: { ...settings, topic_arn: `${topic}:sub` }, path: "topic_arn", says: /SNS/ },
    { settings: { ...settings, base_url: "email.amazonaws.com" }, path: "base_url", says: /http/ },
  ],
  http: {
    wire: [
      {
        name: "taken",
        result: answer(200, { MessageId: reference }),
        outcome: { kind: "accepted", reference },
      },
      {
        name: "200 without an id",
        result: answer(200, {}),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "SES answered 200 without a message id.",
        },
      },
      {
        name: "a bad address",
        result: failure(400, "BadRequestException", "Local address contains control or whitespace"),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "BadRequestException",
          reason: "SES error BadRequestException: Local address contains control or whitespace",
        },
      },
      {
        name: "bad content",
        result: failure(
          400,
          "MessageRejected",
          "Transaction failed: Address length is more than 320 characters long",
        ),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "MessageRejected",
          reason:
            "SES error MessageRejected: Transaction failed: Address length is more than 320 characters long",
        },
      },
      {
        name: "a sender that is not verified",
        result: failure(400, "MessageRejected:http://internal.amazon.com/", `${unverified}news@example.com`),
        outcome: {
          kind: "deferred",
          code: "MessageRejected",
          reason: `SES error MessageRejected: ${unverified}news@example.com`,
          gatewayFault: "refused",
        },
      },
      {
        name: "a recipient that the sandbox does not allow",
        result: failure(400, "MessageRejected", `${unverified}ada@example.org`),
        outcome: {
          kind: "rejected",
          code: "MessageRejected",
          reason: `SES error MessageRejected: ${unverified}ada@example.org`,
        },
      },
      ...(
        [
          [400, "AccountSuspendedException"],
          [400, "SendingPausedException"],
          [400, "MailFromDomainNotVerifiedException"],
          [400, "LimitExceededException"],
          [404, "NotFoundException"],
          [403, "AccessDeniedException"],
          [403, "SignatureDoesNotMatch"],
          [403, "InvalidSignatureException"],
          [403, "UnrecognizedClientException"],
          [400, "RequestExpired"],
        ] as const
      ).map(([status, name]) => ({
        name,
        result: failure(status, name, "No."),
        outcome: {
          kind: "deferred" as const,
          code: name,
          reason: `SES error ${name}: No.`,
          gatewayFault: "refused" as const,
        },
      })),
      {
        name: "the rate",
        result: failure(429, "TooManyRequestsException", "Maximum sending rate exceeded.", {
          "retry-after": "3",
        }),
        outcome: {
          kind: "deferred",
          code: "TooManyRequestsException",
          reason: "SES error TooManyRequestsException: Maximum sending rate exceeded.",
          retryAfterMs: 3000,
        },
      },
      {
        name: "the rate, as AWS's front says it",
        result: failure(400, "ThrottlingException", "Rate exceeded"),
        outcome: {
          kind: "deferred",
          code: "ThrottlingException",
          reason: "SES error ThrottlingException: Rate exceeded",
        },
      },
      {
        name: "the day's quota, which every mail meets",
        result: failure(429, "TooManyRequestsException", "Daily message quota exceeded."),
        outcome: {
          kind: "deferred",
          code: "TooManyRequestsException",
          reason: "SES error TooManyRequestsException: Daily message quota exceeded.",
          gatewayFault: "refused",
        },
      },
      {
        name: "a name in the body, and a secret",
        result: answer(403, { __type: "com.amazon.coral.service#AccessDenied", message: `not ${secretKey}` }),
        outcome: {
          kind: "deferred",
          code: "AccessDenied",
          reason: "SES error AccessDenied: not ***",
          gatewayFault: "refused",
        },
      },
      {
        name: "an error that is new is classed by its status",
        result: failure(400, "BrandnewException", "Something new"),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "BrandnewException",
          reason: "SES error BrandnewException: Something new",
        },
      },
      {
        name: "5xx stays in doubt, with any text",
        result: failure(503, "TooManyRequestsException", "Service is unavailable"),
        outcome: {
          kind: "unknown",
          code: "TooManyRequestsException",
          reason: "SES error TooManyRequestsException: Service is unavailable",
        },
      },
    ],
    requests: [
      { name: "text alone", request: request(plain) },
      {
        name: "everything",
        message: sampleEmail({
          subject: "🎉",
          html: "<p>Hallo</p>",
          senderName: 'Ünal "U" O\'Neil',
          replyTo: [{ name: null, address: "reply@example.com" }],
          headers: [
            ["List-Unsubscribe", "<https://sms.example.test/u/1>"],
            ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
          ],
          returnPath: "b+1@bounce.example.com",
          attachments: [
            sampleAttachment("Rechnung ß.pdf", "application/pdf", Buffer.from([0, 255, 37])),
            sampleAttachment("leer.txt", "text/plain", Buffer.alloc(0)),
          ],
        }),
        settings: { forward_bounces: true },
        request: request({
          FromEmailAddress: "=?UTF-8?B?w5xuYWwgIlUiIE8nTmVpbA==?= <news@example.com>",
          Destination: { ToAddresses: ["ada@example.com"] },
          ReplyToAddresses: ["reply@example.com"],
          FeedbackForwardingEmailAddress: "b+1@bounce.example.com",
          Content: {
            Simple: {
              Subject: text("🎉"),
              Body: { Text: text("Hallo & willkommen 🎉"), Html: text("<p>Hallo</p>") },
              Headers: [
                { Name: "List-Unsubscribe", Value: "<https://sms.example.test/u/1>" },
                { Name: "List-Unsubscribe-Post", Value: "List-Unsubscribe=One-Click" },
              ],
              Attachments: [
                {
                  FileName: "Rechnung ß.pdf",
                  ContentType: "application/pdf",
                  ContentDisposition: "ATTACHMENT",
                  ContentTransferEncoding: "BASE64",
                  RawContent: "AP8l",
                },
                {
                  FileName: "leer.txt",
                  ContentType: "text/plain",
                  ContentDisposition: "ATTACHMENT",
                  ContentTransferEncoding: "BASE64",
                  RawContent: "",
                },
              ],
            },
          },
          EmailTags: [{ Name: "trunkline_message", Value: "msg_01test" }],
          ConfigurationSetName: "main",
        }),
      },
      {
        name: "the return path only where it is asked for; HTML without words; no name; another address",
        message: sampleEmail({ text: "", html: "<img>", returnPath: "b+1@bounce.example.com" }),
        settings: {
          from: "news@Bücher.example",
          from_name: undefined,
          configuration_set: undefined,
          base_url: "http://127.0.0.1:8080/ses/",
        },
        request: request(
          {
            FromEmailAddress: "news@xn--bcher-kva.example",
            Destination: { ToAddresses: ["ada@example.com"] },
            Content: { Simple: { Subject: text("Grüße"), Body: { Html: text("<img>") } } },
            EmailTags: [{ Name: "trunkline_message", Value: "msg_01test" }],
          },
          { url: `http://127.0.0.1:8080/ses${path}`, host: "127.0.0.1:8080", path: `/ses${path}` },
        ),
      },
    ],
  },
  callbacks: {
    sign,
    covers: { body: true, url: false },
    outbound: amazon(),
    withoutSecret: (own: object) => ({ ...own, topic_arn: undefined }),
    cases: [
      {
        name: "delivered",
        unsigned: event("Delivery", { delivery: { timestamp: "2026-11-20T11:59:55.000Z" } }),
        received: {
          kind: "received",
          receipts: [
            { status: "delivered", reference, messageId: "msg_1", at: Date.UTC(2026, 10, 20, 11, 59, 55) },
          ],
          inbound: [],
          engagements: [],
        },
      },
      {
        name: "opened",
        unsigned: event("Open", { open: { timestamp: "2026-11-20T11:59:55.000Z", ipAddress: "192.0.2.1" } }),
        received: {
          kind: "received",
          receipts: [],
          inbound: [],
          engagements: [
            {
              kind: "opened",
              reference,
              messageId: "msg_1",
              key: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
              at: Date.UTC(2026, 10, 20, 11, 59, 55),
              ip: "192.0.2.1",
            },
          ],
        },
      },
      {
        name: "no event",
        unsigned: { body: Buffer.from("Hello") },
        received: { kind: "malformed", reason: "The message is no event of SES." },
      },
    ],
  },
});

const own = ses.settings.parse(settings);

test("ses: the settings' URL is what the guard is asked about, in China too", () => {
  assert.deepEqual(ses.urls(own), [`https://${host}${path}`]);
  const china = ses.settings.parse({ ...settings, region: "cn-north-1" });
  assert.deepEqual(ses.urls(china), [`https://email.cn-north-1.amazonaws.com.cn${path}`]);
});

test("ses: a new subscription is to be confirmed, an ended one is nothing", async () => {
  const tools = toolsWith({ outbound: amazon() });
  assert.deepEqual(await ses.receive(posted(signed(subscription())), own, tools), {
    kind: "received",
    receipts: [],
    inbound: [],
    confirmUrl: subscribeUrl,
  });
  const ended = signed(subscription({ Type: "UnsubscribeConfirmation" }));
  assert.deepEqual(await ses.receive(posted(ended), own, tools), {
    kind: "received",
    receipts: [],
    inbound: [],
  });
});

test("ses: without Amazon's certificate nothing is judged", async () => {
  const url =
    "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-00000000000000000000000000000000.pem";
  const outbound = scriptedOutbound({ kind: "no_answer", reason: "timeout" });
  const callback = posted(signed(envelope({ SigningCertURL: url })));
  assert.deepEqual(await ses.receive(callback, own, toolsWith({ outbound })), {
    kind: "unavailable",
    reason: "Amazon's signing certificate could not be fetched.",
  });
});

// SendGrid on recorded traffic: requests to the byte, the errors of its documentation, and signed events.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sendgrid } from "#gateways/email/sendgrid/sendgrid.ts";
import { gatewayConformance } from "../../conformance.ts";
import { now, sampleAttachment, sampleEmail, toolsWith } from "../../conformance-samples.ts";
import { answer } from "../../scripted-outbound.ts";
import { apiKey, publicKey, settings, sign, signedCall } from "./sendgrid-example.ts";

const api = "https://api.sendgrid.com/v3/mail/send";
const headers = {
  authorization: `Bearer ${apiKey}`,
  "content-type": "application/json",
  accept: "application/json",
};
const reference = "wrfRRvF7Q0GgwUo2CvDmEA";
const failure = (
  status: number,
  message: string,
  field: string | null = null,
  more: Record<string, string> = {},
) => answer(status, { errors: [{ message, field, help: null }] }, more);

const off = {
  tracking_settings: {
    click_tracking: { enable: false },
    open_tracking: { enable: false },
    subscription_tracking: { enable: false },
  },
};
const plain = {
  personalizations: [
    { to: [{ email: "ada@example.com" }], custom_args: { trunkline_message: "msg_01test" } },
  ],
  from: { email: "news@example.com", name: "Example" },
  subject: "Grüße",
  content: [{ type: "text/plain", value: "Hallo & willkommen 🎉" }],
  ...off,
};
const request = (body: object, url = api) => ({ method: "POST", url, headers, body: JSON.stringify(body) });
const seconds = now / 1000;

gatewayConformance(sendgrid, {
  settings,
  refused: [
    { settings: {}, path: "api_key", says: /string/ },
    { settings: { ...settings, from: undefined }, path: "from", says: /string/ },
    { settings: { ...settings, api_key: "" }, path: "api_key", says: /./ },
    {
      settings: { ...settings, webhook_public_key: "secret" },
      path: "webhook_public_key",
      says: /verification key/,
    },
    {
      settings: { ...settings, webhook_public_key: "" },
      path: "webhook_public_key",
      says: /verification key/,
    },
    { settings: { ...settings, base_url: "api.sendgrid.com" }, path: "base_url", says: /http/ },
    { settings: { ...settings, timeout_ms: 1 }, path: "timeout_ms", says: /1000/ },
  ],
  http: {
    wire: [
      {
        name: "queued",
        result: answer(202, "", { "x-message-id": reference }),
        outcome: { kind: "accepted", reference },
      },
      {
        name: "202 without an id",
        result: answer(202, ""),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "SendGrid answered 202 without a message id.",
        },
      },
      {
        name: "200 is the sandbox, where nothing is queued",
        result: answer(200, "", { "x-message-id": reference }),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "SendGrid answered 200 without a message id.",
        },
      },
      {
        name: "a bad recipient",
        result: failure(400, "Does not contain a valid address.", "personalizations.0.to.0.email"),
        outcome: {
          kind: "rejected",
          code: "personalizations.0.to.0.email",
          reason: "SendGrid error personalizations.0.to.0.email: Does not contain a valid address.",
        },
      },
      {
        name: "a bad sender is wrong for every mail",
        result: failure(400, "The from email does not contain a valid address.", "from.email"),
        outcome: {
          kind: "deferred",
          code: "from.email",
          reason: "SendGrid error from.email: The from email does not contain a valid address.",
          gatewayFault: "refused",
        },
      },
      {
        name: "400 without a field",
        result: failure(400, "Bad Request"),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "http_400",
          reason: "The provider answered 400: Bad Request",
        },
      },
      {
        name: "a key that is revoked, told back",
        result: failure(401, `The provided authorization grant ${apiKey} is invalid, expired, or revoked`),
        outcome: {
          kind: "deferred",
          code: "http_401",
          reason:
            "The provider answered 401: The provided authorization grant *** is invalid, expired, or revoked",
          gatewayFault: "refused",
        },
      },
      {
        name: "no credits left",
        result: failure(401, "Maximum credits exceeded"),
        outcome: {
          kind: "deferred",
          code: "http_401",
          reason: "The provider answered 401: Maximum credits exceeded",
          gatewayFault: "refused",
        },
      },
      {
        name: "a sender that is not verified",
        result: failure(403, "The from address does not match a verified Sender Identity.", "from"),
        outcome: {
          kind: "deferred",
          code: "http_403",
          reason: "The provider answered 403: The from address does not match a verified Sender Identity.",
          gatewayFault: "refused",
        },
      },
      {
        name: "too large",
        result: failure(413, "Payload too large"),
        outcome: {
          kind: "rejected",
          code: "http_413",
          reason: "The provider answered 413: Payload too large",
        },
      },
      {
        name: "too many requests, until a time",
        result: failure(429, "too many requests", null, { "x-ratelimit-reset": String(seconds + 12) }),
        outcome: {
          kind: "deferred",
          code: "http_429",
          reason: "The provider answered 429: too many requests",
          retryAfterMs: 12_000,
        },
      },
      {
        name: "too many requests, until a time that is past",
        result: failure(429, "too many requests", null, { "x-ratelimit-reset": String(seconds - 12) }),
        outcome: {
          kind: "deferred",
          code: "http_429",
          reason: "The provider answered 429: too many requests",
          retryAfterMs: 1000,
        },
      },
      {
        name: "too many requests, for so long",
        result: failure(429, "too many requests", null, {
          "retry-after": "3",
          "x-ratelimit-reset": String(seconds + 12),
        }),
        outcome: {
          kind: "deferred",
          code: "http_429",
          reason: "The provider answered 429: too many requests",
          retryAfterMs: 3000,
        },
      },
      {
        name: "5xx is in doubt",
        result: failure(500, "Internal error", "from.email"),
        outcome: { kind: "unknown", code: "http_500", reason: "The provider answered 500: Internal error" },
      },
    ],
    requests: [
      { name: "text alone", request: request(plain) },
      {
        name: "everything",
        message: sampleEmail({
          html: "<p>Hallo</p>",
          senderName: 'Ünal "U", O\'Neil',
          replyTo: [{ name: null, address: "reply@example.com" }],
          headers: [
            ["List-Unsubscribe", "<https://sms.example.test/u/1>"],
            ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
          ],
          returnPath: "b+1@bounce.example.com",
          attachments: [sampleAttachment("Rechnung ß.pdf", "application/pdf", Buffer.from([0, 255, 37]))],
        }),
        request: request({
          personalizations: plain.personalizations,
          from: { email: "news@example.com", name: 'Ünal "U", O\'Neil' },
          reply_to: { email: "reply@example.com" },
          subject: "Grüße",
          content: [
            { type: "text/plain", value: "Hallo & willkommen 🎉" },
            { type: "text/html", value: "<p>Hallo</p>" },
          ],
          headers: {
            "List-Unsubscribe": "<https://sms.example.test/u/1>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          },
          attachments: [
            {
              content: "AP8l",
              filename: "Rechnung ß.pdf",
              type: "application/pdf",
              disposition: "attachment",
            },
          ],
          ...off,
        }),
      },
      {
        name: "HTML without words, no name, SendGrid's own tracking, in the EU",
        message: sampleEmail({ text: "", html: "<img>" }),
        settings: {
          from: "news@Bücher.example",
          from_name: undefined,
          provider_tracking: true,
          base_url: "https://api.eu.sendgrid.com/",
        },
        request: request(
          {
            personalizations: plain.personalizations,
            from: { email: "news@xn--bcher-kva.example" },
            subject: "Grüße",
            content: [{ type: "text/html", value: "<img>" }],
          },
          "https://api.eu.sendgrid.com/v3/mail/send",
        ),
      },
    ],
  },
  callbacks: {
    sign,
    covers: { body: true, url: false },
    withoutSecret: (own: object) => ({ ...own, webhook_public_key: undefined }),
    cases: [
      {
        name: "a batch",
        unsigned: {
          body: Buffer.from(
            JSON.stringify([
              {
                event: "delivered",
                timestamp: seconds,
                sg_message_id: `${reference}.filter0425p1mdw1.13037.57168B4A1D.0`,
                trunkline_message: "msg_1",
              },
              {
                event: "open",
                sg_event_id: "e1",
                timestamp: seconds,
                trunkline_message: "msg_2",
                sg_machine_open: true,
              },
            ]),
          ),
        },
        received: {
          kind: "received",
          receipts: [{ status: "delivered", reference, messageId: "msg_1", at: now }],
          inbound: [],
          engagements: [
            { kind: "opened", key: "e1", reference: null, messageId: "msg_2", at: now, machine: true },
          ],
        },
      },
      {
        name: "no list",
        unsigned: { body: Buffer.from("{}") },
        received: { kind: "malformed", reason: "The callback is no list of events." },
      },
    ],
  },
});

const own = sendgrid.settings.parse(settings);

test("sendgrid: a call of three days ago, however well signed, is refused", async () => {
  const kindAt = async (at: number) =>
    (await sendgrid.receive(signedCall(Buffer.from("[]"), String(at)), own, toolsWith())).kind;
  assert.equal(await kindAt(seconds - 71 * 3600), "received");
  assert.equal(await kindAt(seconds - 73 * 3600), "forbidden");
  assert.equal(await kindAt(seconds + 59 * 60), "received");
  assert.equal(await kindAt(seconds + 61 * 60), "forbidden");
});

test("sendgrid: a key as PEM is as good as one in base64", async () => {
  const pem = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----`;
  const same = sendgrid.settings.parse({ ...settings, webhook_public_key: pem });
  const call = signedCall(Buffer.from("[]"), String(seconds));
  assert.equal((await sendgrid.receive(call, same, toolsWith())).kind, "received");
});

test("sendgrid: the settings' URL is what the guard is asked about", () => {
  assert.deepEqual(sendgrid.urls(own), [api]);
});

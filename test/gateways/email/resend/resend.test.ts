// Resend on recorded traffic: requests to the byte, error names, signed events.

import assert from "node:assert/strict";
import { test } from "node:test";
import { resend, resendCode, resendFault } from "#gateways/email/resend/resend.ts";
import { gatewayConformance } from "../../conformance.ts";
import { sampleAttachment, sampleEmail } from "../../conformance-samples.ts";
import { answer } from "../../scripted-outbound.ts";
import { apiKey, at, event, reference, settings, signedBody } from "./resend-example.ts";

const headers = {
  authorization: `Bearer ${apiKey}`,
  "content-type": "application/json",
  accept: "application/json",
  "idempotency-key": "msg_01test",
  "user-agent": "Trunkline",
};
const url = "https://api.resend.com/emails";
const tags = [{ name: "trunkline_message", value: "msg_01test" }];
const names = { reference, messageId: "msg_01test", at, recipient: "ada@example.com" };
const json = (payload: unknown) => ({ body: Buffer.from(JSON.stringify(payload)) });
const failure = (status: number, name: string, message: string, more: Record<string, string> = {}) =>
  answer(status, { statusCode: status, name, message }, more);

gatewayConformance(resend, {
  settings,
  refused: [
    { settings: {}, path: "api_key", says: /string/ },
    { settings: { ...settings, api_key: "" }, path: "api_key", says: /./ },
    { settings: { ...settings, webhook_secret: "secret" }, path: "webhook_secret", says: /whsec_/ },
    { settings: { ...settings, from: "" }, path: "from", says: /plain/ },
    { settings: { ...settings, base_url: "api.resend.com" }, path: "base_url", says: /http/ },
  ],
  http: {
    wire: [
      {
        name: "accepted",
        result: answer(200, { id: reference }),
        outcome: { kind: "accepted", reference },
      },
      {
        name: "a 200 without an id",
        result: answer(200, { data: null }),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "Resend answered 200 without a message id.",
        },
      },
      {
        name: "a field that does not pass",
        result: failure(422, "validation_error", "Invalid `to` field."),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "validation_error",
          reason: "Resend error validation_error: Invalid `to` field.",
        },
      },
      {
        name: "a domain that is not verified, under the same name",
        result: failure(403, "validation_error", "The example.com domain is not verified."),
        outcome: {
          kind: "deferred",
          code: "validation_error",
          reason: "Resend error validation_error: The example.com domain is not verified.",
          gatewayFault: "refused",
        },
      },
      {
        name: "an attachment that does not pass",
        result: failure(422, "invalid_attachment", "Attachment must have either a `content` or `path`."),
        outcome: {
          kind: "rejected",
          code: "invalid_attachment",
          reason: "Resend error invalid_attachment: Attachment must have either a `content` or `path`.",
        },
      },
      {
        name: "a wrong key, echoed",
        result: failure(403, "invalid_api_key", `API key is invalid: ${apiKey}`),
        outcome: {
          kind: "deferred",
          code: "invalid_api_key",
          reason: "Resend error invalid_api_key: API key is invalid: ***",
          gatewayFault: "refused",
        },
      },
      {
        name: "too many requests",
        result: failure(429, "rate_limit_exceeded", "Too many requests.", { "retry-after": "1" }),
        outcome: {
          kind: "deferred",
          code: "rate_limit_exceeded",
          reason: "Resend error rate_limit_exceeded: Too many requests.",
          retryAfterMs: 1000,
        },
      },
      {
        name: "the account's day is full",
        result: failure(429, "daily_quota_exceeded", "You have reached your daily email sending quota."),
        outcome: {
          kind: "deferred",
          code: "daily_quota_exceeded",
          reason: "Resend error daily_quota_exceeded: You have reached your daily email sending quota.",
          gatewayFault: "refused",
        },
      },
      {
        name: "the first request is still being worked on",
        result: failure(409, "concurrent_idempotent_requests", "Original request in progress."),
        outcome: {
          kind: "unknown",
          code: "concurrent_idempotent_requests",
          reason: "Resend error concurrent_idempotent_requests: Original request in progress.",
        },
      },
      {
        name: "the key was used for another mail",
        result: failure(409, "invalid_idempotent_request", "Different payload."),
        outcome: {
          kind: "unknown",
          code: "invalid_idempotent_request",
          reason: "Resend error invalid_idempotent_request: Different payload.",
        },
      },
      {
        name: "a name that is new is classed by its status",
        result: failure(402, "something_new", "Pay."),
        outcome: {
          kind: "deferred",
          code: "something_new",
          reason: "Resend error something_new: Pay.",
          gatewayFault: "refused",
        },
      },
      {
        name: "an error of Resend's own is in doubt",
        result: failure(500, "application_error", "An unexpected error occurred."),
        outcome: {
          kind: "unknown",
          code: "application_error",
          reason: "Resend error application_error: An unexpected error occurred.",
        },
      },
    ],
    requests: [
      {
        name: "text alone",
        request: {
          method: "POST",
          url,
          headers,
          body: JSON.stringify({
            from: '"Example" <news@example.com>',
            to: ["ada@example.com"],
            subject: "Grüße",
            text: "Hallo & willkommen 🎉",
            tags,
          }),
        },
      },
      {
        name: "everything at once, to another base",
        settings: { base_url: "http://127.0.0.1:9000/" },
        message: sampleEmail({
          html: "<p>Hallo</p>",
          senderName: 'Müller, "Ada"',
          replyTo: [{ name: null, address: "help@example.com" }],
          headers: [
            ["List-Unsubscribe", "<https://t.example.com/u/1>"],
            ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
          ],
          attachments: [sampleAttachment("Übersicht.pdf", "application/pdf", Buffer.from([37, 80, 0, 255]))],
        }),
        request: {
          method: "POST",
          url: "http://127.0.0.1:9000/emails",
          headers,
          body: JSON.stringify({
            from: '"Müller, \\"Ada\\"" <news@example.com>',
            to: ["ada@example.com"],
            subject: "Grüße",
            text: "Hallo & willkommen 🎉",
            html: "<p>Hallo</p>",
            reply_to: ["help@example.com"],
            headers: {
              "List-Unsubscribe": "<https://t.example.com/u/1>",
              "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            },
            attachments: [
              { filename: "Übersicht.pdf", content: "JVAA/w==", content_type: "application/pdf" },
            ],
            tags,
          }),
        },
      },
      {
        name: "a second try has the same key and the same body",
        message: { attempt: 2 },
        request: {
          method: "POST",
          url,
          headers,
          body: JSON.stringify({
            from: '"Example" <news@example.com>',
            to: ["ada@example.com"],
            subject: "Grüße",
            text: "Hallo & willkommen 🎉",
            tags,
          }),
        },
      },
    ],
  },
  callbacks: {
    sign: ({ method, body }) => ({ ...signedBody(body), method }),
    covers: { body: true, url: false },
    withoutSecret: (own: object) => ({ ...own, webhook_secret: undefined }),
    cases: [
      {
        name: "delivered",
        unsigned: json(event("email.delivered")),
        received: { kind: "received", receipts: [{ status: "delivered", ...names }], inbound: [] },
      },
      {
        name: "without our id",
        unsigned: json(event("email.delivered", { tags: undefined })),
        received: {
          kind: "received",
          receipts: [{ status: "delivered", reference, at, recipient: "ada@example.com" }],
          inbound: [],
        },
      },
      {
        name: "about no message",
        unsigned: json({ type: "email.delivered", data: {} }),
        received: { kind: "malformed", reason: "The event names no message." },
      },
      {
        name: "about nothing",
        unsigned: json({ data: { email_id: reference } }),
        received: { kind: "malformed", reason: "The callback has no type." },
      },
    ],
  },
});

test("resend: the settings' URL is what the guard is asked about, and doubt is sent again", () => {
  assert.deepEqual(resend.urls(resend.settings.parse(settings)), [url]);
  assert.equal(resend.onUnknown, "resend");
});

test("names have a fault", () => {
  const expected: Record<string, [name: string, status: number][]> = {
    unclear: [
      ["validation_error", 400],
      ["validation_error", 422],
      ["missing_required_field", 422],
      ["invalid_parameter", 422],
    ],
    permanent: [
      ["invalid_attachment", 422],
      ["invalid_idempotency_key", 400],
    ],
    configuration: [
      ["validation_error", 403],
      ["missing_api_key", 401],
      ["restricted_api_key", 401],
      ["invalid_api_key", 403],
      ["invalid_from_address", 422],
      ["invalid_access", 422],
      ["invalid_region", 422],
      ["not_found", 404],
      ["method_not_allowed", 405],
      ["security_error", 451],
      ["daily_quota_exceeded", 429],
      ["monthly_quota_exceeded", 429],
    ],
    transient: [["rate_limit_exceeded", 429]],
    ambiguous: [
      ["concurrent_idempotent_requests", 409],
      ["invalid_idempotent_request", 409],
    ],
  };
  for (const [fault, names] of Object.entries(expected)) {
    for (const [name, status] of names) assert.equal(resendFault(name, status), fault, `${name} ${status}`);
  }
  for (const name of ["application_error", "internal_server_error", "brand_new", "constructor"]) {
    assert.equal(resendFault(name, 400), undefined, name);
  }
});

test("the name is a text at the top", () => {
  assert.equal(resendCode({ statusCode: "422", name: "validation_error", message: "x" }), "validation_error");
  for (const json of [null, [], "x", {}, { name: null }, { name: {} }, { error: { name: "x" } }]) {
    assert.equal(resendCode(json), null);
  }
});

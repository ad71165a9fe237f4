// Brevo on recorded traffic: requests to the byte, error codes, events with a token.

import assert from "node:assert/strict";
import { test } from "node:test";
import { brevo, brevoCode, brevoFault } from "#gateways/email/brevo/brevo.ts";
import { gatewayConformance } from "../../conformance.ts";
import {
  callbackUrl,
  sampleAttachment,
  sampleEmail,
  sendOnce,
  toolsWith,
} from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";
import { apiKey, at, callbackToken, event, reference, settings } from "./brevo-example.ts";

const headers = { "api-key": apiKey, "content-type": "application/json", accept: "application/json" };
const url = "https://api.brevo.com/v3/smtp/email";
/** Of SHA-256 over `msg_01test`, with the version 8 and the variant of RFC 9562 put in. */
const idempotencyKey = "5c4ebde1-3f7a-8e9a-85f9-24dc9c8d9824";
const names = { reference, messageId: "msg_01test", at, recipient: "ada@example.com" };
const json = (payload: unknown) => ({ body: Buffer.from(JSON.stringify(payload)) });
const failure = (status: number, code: string, message: string, more: Record<string, string> = {}) =>
  answer(status, { code, message }, more);

gatewayConformance(brevo, {
  settings,
  refused: [
    { settings: {}, path: "api_key", says: /string/ },
    { settings: { ...settings, api_key: "" }, path: "api_key", says: /./ },
    { settings: { ...settings, callback_token: "short" }, path: "callback_token", says: /16/ },
    { settings: { ...settings, from: "x" }, path: "from", says: /plain/ },
    { settings: { ...settings, base_url: "api.brevo.com" }, path: "base_url", says: /http/ },
  ],
  http: {
    wire: [
      {
        name: "accepted",
        result: answer(201, { messageId: `<${reference}>` }),
        outcome: { kind: "accepted", reference },
      },
      {
        name: "a 201 without an id",
        result: answer(201, ""),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "Brevo answered 201 without a message id.",
        },
      },
      {
        name: "an invalid recipient",
        result: failure(400, "invalid_parameter", "email is not valid in to"),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "invalid_parameter",
          reason: "Brevo error invalid_parameter: email is not valid in to",
        },
      },
      {
        name: "an invalid sender is the gateway's trouble",
        result: failure(400, "invalid_parameter", "valid sender email required"),
        outcome: {
          kind: "deferred",
          code: "invalid_parameter",
          reason: "Brevo error invalid_parameter: valid sender email required",
          gatewayFault: "refused",
        },
      },
      {
        name: "a wrong key, echoed",
        result: failure(401, "unauthorized", `Key not found: ${apiKey}`),
        outcome: {
          kind: "deferred",
          code: "unauthorized",
          reason: "Brevo error unauthorized: Key not found: ***",
          gatewayFault: "refused",
        },
      },
      {
        name: "no credit left, with 400 as well as with 402",
        result: failure(400, "not_enough_credits", "Not enough credits"),
        outcome: {
          kind: "deferred",
          code: "not_enough_credits",
          reason: "Brevo error not_enough_credits: Not enough credits",
          gatewayFault: "refused",
        },
      },
      {
        name: "the account is being looked at",
        result: failure(403, "account_under_validation", "Account is under validation"),
        outcome: {
          kind: "deferred",
          code: "account_under_validation",
          reason: "Brevo error account_under_validation: Account is under validation",
          gatewayFault: "refused",
        },
      },
      {
        name: "a request with this key came before",
        result: failure(400, "duplicate_parameter", "Duplicate idempotencyKey"),
        outcome: {
          kind: "unknown",
          code: "duplicate_parameter",
          reason: "Brevo error duplicate_parameter: Duplicate idempotencyKey",
        },
      },
      {
        name: "too many requests",
        result: failure(429, "too_many_requests", "Slow down", { "retry-after": "3" }),
        outcome: {
          kind: "deferred",
          code: "too_many_requests",
          reason: "Brevo error too_many_requests: Slow down",
          retryAfterMs: 3000,
        },
      },
      {
        name: "a code that is new is classed by its status",
        result: failure(422, "something_new", "x"),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "something_new",
          reason: "Brevo error something_new: x",
        },
      },
      {
        name: "a 5xx is in doubt",
        result: answer(502, "<html></html>"),
        outcome: { kind: "unknown", code: "http_502", reason: "The provider answered 502." },
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
            sender: { email: "news@example.com", name: "Example" },
            to: [{ email: "ada@example.com" }],
            subject: "Grüße",
            textContent: "Hallo & willkommen 🎉",
            headers: { "X-Mailin-custom": "msg_01test", idempotencyKey },
          }),
        },
      },
      {
        name: "everything at once, to another base",
        settings: { base_url: "http://127.0.0.1:9000/v3/" },
        message: {
          ...sampleEmail({
            html: "<p>Hallo</p>",
            senderName: "Müller, Ada",
            replyTo: [{ name: null, address: "help@example.com" }],
            headers: [
              ["List-Unsubscribe", "<https://t.example.com/u/1>"],
              ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
            ],
            attachments: [
              sampleAttachment("Übersicht.pdf", "application/pdf", Buffer.from([37, 80, 0, 255])),
            ],
          }),
          attempt: 2,
        },
        request: {
          method: "POST",
          url: "http://127.0.0.1:9000/v3/smtp/email",
          headers,
          body: JSON.stringify({
            sender: { email: "news@example.com", name: "=?UTF-8?B?TcO8bGxlciwgQWRh?=" },
            to: [{ email: "ada@example.com" }],
            subject: "Grüße",
            textContent: "Hallo & willkommen 🎉",
            htmlContent: "<p>Hallo</p>",
            replyTo: { email: "help@example.com" },
            headers: {
              "List-Unsubscribe": "<https://t.example.com/u/1>",
              "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
              "X-Mailin-custom": "msg_01test",
              idempotencyKey,
            },
            attachment: [{ name: "Übersicht.pdf", content: "JVAA/w==" }],
          }),
        },
      },
    ],
  },
  callbacks: {
    sign: ({ method, query, contentType, body }) => {
      const all = new URLSearchParams(query);
      return {
        method,
        url: query.length === 0 ? callbackUrl : `${callbackUrl}?${all}`,
        query: all,
        headers: { "content-type": contentType, authorization: `Bearer ${callbackToken}` },
        body,
      };
    },
    covers: { body: false, url: false },
    withoutSecret: (own: object) => ({ ...own, callback_token: undefined }),
    cases: [
      {
        name: "delivered",
        unsigned: json(event("delivered")),
        received: { kind: "received", receipts: [{ status: "delivered", ...names }], inbound: [] },
      },
      {
        name: "a batch",
        unsigned: json([event("delivered"), event("unique_opened")]),
        received: {
          kind: "received",
          receipts: [{ status: "delivered", ...names }],
          inbound: [],
          engagements: [{ kind: "opened", ...names }],
        },
      },
      {
        name: "without our id",
        unsigned: json(event("delivered", { "X-Mailin-custom": "" })),
        received: {
          kind: "received",
          receipts: [{ status: "delivered", reference, at, recipient: "ada@example.com" }],
          inbound: [],
        },
      },
      {
        name: "about no message",
        unsigned: json({ event: "delivered" }),
        received: { kind: "malformed", reason: "The event names no message." },
      },
      {
        name: "about nothing",
        unsigned: json({ "message-id": reference }),
        received: { kind: "malformed", reason: "The callback has no event." },
      },
    ],
  },
});

async function bodyWith(senderName: string | null, id = "msg_01test") {
  const outbound = scriptedOutbound({ kind: "no_answer", reason: "enough" });
  const own = brevo.settings.parse({ ...settings, from_name: undefined });
  await sendOnce(brevo, { ...sampleEmail({ senderName }), id }, own, toolsWith({ outbound }));
  return JSON.parse(String(outbound.requests[0]?.body));
}

test("brevo: a name that Brevo would drop is encoded, and no other", async () => {
  const names: [input: string | null, sent: string | undefined][] = [
    [null, undefined],
    ["Ada, Inc.", "Ada, Inc."],
    ["Jürgen", "Jürgen"],
    ["Jürgen (Köln)", "=?UTF-8?B?SsO8cmdlbiAoS8O2bG4p?="],
  ];
  for (const [input, sent] of names) assert.equal((await bodyWith(input)).sender.name, sent);
});

test("brevo: the idempotency key is a UUID, the same for the same message and for no other", async () => {
  const keyOf = async (id: string) => (await bodyWith(null, id)).headers.idempotencyKey;
  assert.match(await keyOf("msg_a"), /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.equal(await keyOf("msg_a"), await keyOf("msg_a"));
  assert.notEqual(await keyOf("msg_a"), await keyOf("msg_b"));
});

test("brevo: the settings' URL is what the guard is asked about, and doubt is held", () => {
  assert.deepEqual(brevo.urls(brevo.settings.parse(settings)), [url]);
  assert.equal(brevo.onUnknown, "hold");
});

test("codes have a fault", () => {
  const expected: Record<string, string[]> = {
    unclear: [
      "invalid_parameter",
      "missing_parameter",
      "out_of_range",
      "bad_request",
      "unprocessable_entity",
    ],
    configuration: [
      "unauthorized",
      "permission_denied",
      "reseller_permission_denied",
      "not_enough_credits",
      "account_under_validation",
      "document_not_found",
      "method_not_allowed",
      "not_acceptable",
    ],
    transient: ["too_many_requests"],
    ambiguous: ["duplicate_parameter", "duplicate_request"],
  };
  for (const [fault, codes] of Object.entries(expected)) {
    for (const code of codes) assert.equal(brevoFault(code, "x"), fault, code);
  }
  for (const code of ["", "brand_new", "constructor"]) assert.equal(brevoFault(code, "x"), undefined, code);
});

test("a parameter of the sender is the gateway's fault", () => {
  assert.equal(brevoFault("invalid_parameter", "valid sender email required"), "configuration");
  assert.equal(brevoFault("invalid_parameter", "Sender is not active"), "configuration");
  assert.equal(brevoFault("invalid_parameter", "email is not valid in to"), "unclear");
  assert.equal(brevoFault("missing_parameter", "sender name is missing"), "unclear");
});

test("the code is a text at the top", () => {
  assert.equal(brevoCode({ code: "unauthorized", message: "Key not found" }), "unauthorized");
  for (const json of [null, [], {}, { code: null }, { code: {} }]) assert.equal(brevoCode(json), null);
});

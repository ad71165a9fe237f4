// Mailgun on recorded traffic: requests read back by another parser, sentences of refusal, signed events.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mailgun, mailgunCode, mailgunFault } from "#gateways/email/mailgun/mailgun.ts";
import type { EmailContent } from "#gateways/message.ts";
import { gatewayConformance } from "../../conformance.ts";
import { now, sampleAttachment, sampleEmail, sendOnce, toolsWith } from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";
import { apiKey, at, event, messageId, settings, signed } from "./mailgun-example.ts";

const basic = Buffer.from(`api:${apiKey}`).toString("base64");
const names = { reference: messageId, messageId: "msg_01test", at, recipient: "ada@example.com" };
/** Mailgun's signature covers a time and a token: it is good for one event, for three days. */
const once = {
  proof: JSON.parse(signed(event("delivered")).body.toString()).signature.signature,
  until: now + 3 * 86_400_000,
};
const json = (payload: unknown) => ({ body: Buffer.from(JSON.stringify(payload)) });

gatewayConformance(mailgun, {
  settings,
  secrets: [basic],
  refused: [
    { settings: {}, path: "domain", says: /string/ },
    { settings: { ...settings, domain: "mg.example.com/../x" }, path: "domain", says: /domain/ },
    { settings: { ...settings, domain: "localhost" }, path: "domain", says: /domain/ },
    { settings: { ...settings, api_key: "" }, path: "api_key", says: /./ },
    { settings: { ...settings, from: "News <news@example.com>" }, path: "from", says: /plain/ },
    { settings: { ...settings, webhook_signing_key: "" }, path: "webhook_signing_key", says: /./ },
    { settings: { ...settings, region: "de" }, path: "region", says: /us/ },
    { settings: { ...settings, base_url: "api.mailgun.net" }, path: "base_url", says: /http/ },
  ],
  http: {
    wire: [
      {
        name: "queued",
        result: answer(200, { id: `<${messageId}>`, message: "Queued. Thank you." }),
        outcome: { kind: "accepted", reference: messageId },
      },
      {
        name: "a 200 of another endpoint",
        result: answer(200, "Mailgun Magnificent API"),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "Mailgun answered 200 without a message id.",
        },
      },
      {
        name: "not an address",
        result: answer(400, {
          message: "'to' parameter is not a valid address. please check documentation",
        }),
        outcome: {
          kind: "rejected",
          code: "invalid_recipient",
          reason:
            "Mailgun error invalid_recipient: 'to' parameter is not a valid address. please check documentation",
        },
      },
      {
        name: "a sentence that is new",
        result: answer(400, { message: "Something new" }),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "http_400",
          reason: "The provider answered 400: Something new",
        },
      },
      {
        name: "too large",
        result: answer(413, { message: "Request Entity Too Large" }),
        outcome: {
          kind: "rejected",
          code: "http_413",
          reason: "The provider answered 413: Request Entity Too Large",
        },
      },
      {
        name: "a domain that may not send is the gateway's trouble, also with 400",
        result: answer(400, { message: "Domain mg.example.com is not allowed to send: disabled" }),
        outcome: {
          kind: "deferred",
          code: "domain_not_allowed",
          reason: "Mailgun error domain_not_allowed: Domain mg.example.com is not allowed to send: disabled",
          gatewayFault: "refused",
        },
      },
      {
        name: "no such domain in this region",
        result: answer(404, { message: "Domain not found: mg.example.com" }),
        outcome: {
          kind: "deferred",
          code: "domain_not_found",
          reason: "Mailgun error domain_not_found: Domain not found: mg.example.com",
          gatewayFault: "refused",
        },
      },
      {
        name: "a wrong key, echoed",
        result: answer(401, `Forbidden ${apiKey}`),
        outcome: {
          kind: "deferred",
          code: "http_401",
          reason: "The provider answered 401: Forbidden ***",
          gatewayFault: "refused",
        },
      },
      {
        name: "too many requests",
        result: answer(429, { message: "Too many requests" }, { "retry-after": "30" }),
        outcome: {
          kind: "deferred",
          code: "http_429",
          reason: "The provider answered 429: Too many requests",
          retryAfterMs: 30_000,
        },
      },
      {
        name: "a 500 is in doubt, with any text",
        result: answer(500, { message: "Domain not found: x" }),
        outcome: {
          kind: "unknown",
          code: "domain_not_found",
          reason: "Mailgun error domain_not_found: Domain not found: x",
        },
      },
    ],
    requests: [],
  },
  callbacks: {
    sign: ({ body }) => signed(parsed(body)),
    strip: (callback) => ({ ...callback, body: Buffer.from("{}") }),
    covers: { body: false, url: false },
    withoutSecret: (own: object) => ({ ...own, webhook_signing_key: undefined }),
    cases: [
      {
        name: "delivered",
        unsigned: json(event("delivered", { "delivery-status": { code: 250, message: "OK" } })),
        received: {
          kind: "received",
          receipts: [{ status: "delivered", ...names }],
          inbound: [],
          replayGuard: once,
        },
      },
      {
        name: "without our id",
        unsigned: json(event("delivered", { "user-variables": [] })),
        received: {
          kind: "received",
          receipts: [{ status: "delivered", reference: messageId, at, recipient: "ada@example.com" }],
          inbound: [],
          replayGuard: once,
        },
      },
      {
        name: "accepted, which is no news",
        unsigned: json(event("accepted")),
        received: { kind: "received", receipts: [], inbound: [], replayGuard: once },
      },
      {
        name: "about no message",
        unsigned: json({ event: "delivered" }),
        received: { kind: "malformed", reason: "The event names no message.", replayGuard: once },
      },
      {
        name: "about nothing",
        unsigned: json({ id: "x" }),
        received: { kind: "malformed", reason: "The callback has no event.", replayGuard: once },
      },
    ],
  },
});

/** What is in the call, as the vendor's document: junk that is no JSON is in it as text. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString();
  }
}

async function sent(change: Partial<EmailContent> = {}, own: object = {}) {
  const outbound = scriptedOutbound({ kind: "no_answer", reason: "enough" });
  const parsedSettings = mailgun.settings.parse({ ...settings, ...own });
  const signal = new AbortController().signal;
  await sendOnce(
    mailgun,
    sampleEmail(change),
    parsedSettings,
    toolsWith({ outbound, timeoutMs: 1234, signal }),
  );
  const [request] = outbound.requests;
  assert.ok(request?.body instanceof Uint8Array && outbound.requests.length === 1);
  const { body, headers, ...rest } = request;
  assert.deepEqual(rest, { method: "POST", url: rest.url, timeoutMs: 1234, signal });
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": headers?.["content-type"] ?? "" },
  }).formData();
  return { url: rest.url, headers, form, body: Buffer.from(body) };
}

const options: [string, string][] = [
  ["o:tracking", "no"],
  ["o:tracking-clicks", "no"],
  ["o:tracking-opens", "no"],
];

describe("mailgun: requests", () => {
  test("text alone, from the gateway's name", async () => {
    const { url, headers, form } = await sent();
    assert.equal(url, "https://api.mailgun.net/v3/mg.example.com/messages");
    assert.equal(headers?.authorization, `Basic ${basic}`);
    assert.equal(headers.accept, "application/json");
    assert.deepEqual(
      [...form],
      [
        ["from", '"Example" <news@example.com>'],
        ["to", "ada@example.com"],
        ["subject", "Grüße"],
        ["text", "Hallo & willkommen 🎉"],
        ["v:trunkline_message", "msg_01test"],
        ...options,
      ],
    );
  });

  test("everything at once, in the EU", async () => {
    const bytes = Buffer.from([37, 80, 68, 70, 13, 10, 0, 255]);
    const email: Partial<EmailContent> = {
      html: "<p>Hallo</p>",
      senderName: 'Müller, "Ada"',
      replyTo: [{ name: null, address: "help@example.com" }],
      headers: [
        ["List-Unsubscribe", "<https://t.example.com/u/1>"],
        ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
      ],
      attachments: [sampleAttachment("Übersicht.pdf", "application/pdf", bytes)],
    };
    const { url, form } = await sent(email, { region: "eu" });
    assert.equal(url, "https://api.eu.mailgun.net/v3/mg.example.com/messages");
    const file = form.get("attachment");
    form.delete("attachment");
    assert.deepEqual(
      [...form],
      [
        ["from", '"Müller, \\"Ada\\"" <news@example.com>'],
        ["to", "ada@example.com"],
        ["subject", "Grüße"],
        ["text", "Hallo & willkommen 🎉"],
        ["html", "<p>Hallo</p>"],
        ["h:Reply-To", "help@example.com"],
        ["h:List-Unsubscribe", "<https://t.example.com/u/1>"],
        ["h:List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
        ["v:trunkline_message", "msg_01test"],
        ...options,
      ],
    );
    assert.ok(file !== null && typeof file !== "string");
    assert.deepEqual([file.name, file.type], ["Übersicht.pdf", "application/pdf"]);
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), bytes);
  });

  test("a name without quotes of its own, without a name at all, and another base", async () => {
    const bare = await sent({}, { from_name: undefined, base_url: "http://127.0.0.1:9000/" });
    assert.equal(bare.form.get("from"), "news@example.com");
    assert.equal(bare.url, "http://127.0.0.1:9000/v3/mg.example.com/messages");
  });

  test("the same mail is the same request, and the URL is what the guard is asked about", async () => {
    assert.deepEqual((await sent()).body, (await sent()).body);
    const own = mailgun.settings.parse({ ...settings, region: "eu" });
    assert.deepEqual(mailgun.urls(own), ["https://api.eu.mailgun.net/v3/mg.example.com/messages"]);
    assert.equal(mailgun.onUnknown, "hold");
  });
});

const sentences: [message: string, code: string, fault: string][] = [
  [
    "Domain sandbox1.mailgun.org is not allowed to send: Sandbox subdomains are for test purposes only. Please add your own domain or add the address to authorized recipients in Account Settings.",
    "domain_not_allowed",
    "configuration",
  ],
  [
    "Sandbox subdomains are for test purposes only. Please add your own domain or add the address to authorized recipients in domain settings.",
    "domain_not_allowed",
    "configuration",
  ],
  [
    "Domain mg.example.com is not allowed to send: Please activate your Mailgun account.",
    "domain_not_allowed",
    "configuration",
  ],
  ["Domain not found: mg.example.com", "domain_not_found", "configuration"],
  ["from parameter is missing", "invalid_sender", "configuration"],
  ["'from' parameter is not a valid address. please check documentation", "invalid_sender", "configuration"],
  ["'to' parameter is not a valid address. please check documentation", "invalid_recipient", "permanent"],
  ["to parameter is not a valid address. please check documentation", "invalid_recipient", "permanent"],
  [
    "Send options (parameters starting with o:, h:, or v:) are limited to 16 kB total",
    "headers_too_large",
    "permanent",
  ],
  ["Need at least one of 'text' or 'html' parameters specified", "no_body", "permanent"],
];

test("known sentences have a code and a fault", () => {
  for (const [message, code, fault] of sentences) {
    assert.equal(mailgunCode({ message }), code, message);
    assert.equal(mailgunFault(code), fault, message);
  }
});

test("unknown ones have neither, in any form", () => {
  for (const json of [
    null,
    [],
    {},
    { message: null },
    { message: {} },
    { message: "Forbidden" },
    "Forbidden",
  ]) {
    assert.equal(mailgunCode(json), null);
  }
  assert.equal(mailgunFault("constructor"), undefined);
});

// Postmark on recorded traffic: requests to the byte, error codes, events with a token.

import assert from "node:assert/strict";
import { test } from "node:test";
import { postmark, postmarkCode, postmarkFault } from "#gateways/email/postmark/postmark.ts";
import { gatewayConformance } from "../../conformance.ts";
import {
  callbackUrl,
  sampleAttachment,
  sampleEmail,
  sendOnce,
  toolsWith,
} from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";
import { at, bounce, callbackToken, event, reference, serverToken, settings } from "./postmark-example.ts";

const headers = {
  "x-postmark-server-token": serverToken,
  "content-type": "application/json",
  accept: "application/json",
};
const url = "https://api.postmarkapp.com/email";
const fixed = { Metadata: { trunkline_message: "msg_01test" }, MessageStream: "outbound" };
const untracked = { TrackOpens: false, TrackLinks: "None" };
const names = { reference, messageId: "msg_01test", at, recipient: "ada@example.com" };
const json = (payload: unknown) => ({ body: Buffer.from(JSON.stringify(payload)) });
const failure = (status: number, code: number, message: string) =>
  answer(status, { ErrorCode: code, Message: message });
const inactive =
  "You tried to send to a recipient that has been marked as inactive. Found inactive addresses: ada@example.com.";

gatewayConformance(postmark, {
  settings,
  refused: [
    { settings: {}, path: "server_token", says: /string/ },
    { settings: { ...settings, server_token: "" }, path: "server_token", says: /./ },
    { settings: { ...settings, message_stream: "Out bound" }, path: "message_stream", says: /stream/ },
    { settings: { ...settings, callback_token: "short" }, path: "callback_token", says: /16/ },
    { settings: { ...settings, from: "a@b, c@d" }, path: "from", says: /plain/ },
    { settings: { ...settings, base_url: "ftp://x" }, path: "base_url", says: /http/ },
  ],
  http: {
    wire: [
      {
        name: "accepted",
        result: answer(200, { To: "ada@example.com", MessageID: reference, ErrorCode: 0, Message: "OK" }),
        outcome: { kind: "accepted", reference },
      },
      {
        name: "accepted while Postmark is slow, without a code",
        result: answer(200, {
          MessageID: reference,
          Message: "Message accepted, but delivery may be delayed.",
        }),
        outcome: { kind: "accepted", reference },
      },
      {
        name: "a 200 that says it failed",
        result: answer(200, { MessageID: reference, ErrorCode: 406, Message: "Inactive" }),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "Postmark answered 200 without a message id.",
        },
      },
      {
        name: "an inactive recipient",
        result: failure(422, 406, inactive),
        outcome: { kind: "rejected", code: "406", reason: `Postmark error 406: ${inactive}` },
      },
      {
        name: "an invalid recipient",
        result: failure(422, 300, "Invalid 'To' address: 'x'."),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "300",
          reason: "Postmark error 300: Invalid 'To' address: 'x'.",
        },
      },
      {
        name: "an invalid sender is the gateway's trouble",
        result: failure(422, 300, "Invalid 'From' address: 'x'."),
        outcome: {
          kind: "deferred",
          code: "300",
          reason: "Postmark error 300: Invalid 'From' address: 'x'.",
          gatewayFault: "refused",
        },
      },
      {
        name: "a bad token, echoed",
        result: failure(401, 10, `No Account or Server API tokens were supplied: ${serverToken}`),
        outcome: {
          kind: "deferred",
          code: "10",
          reason: "Postmark error 10: No Account or Server API tokens were supplied: ***",
          gatewayFault: "refused",
        },
      },
      {
        name: "a sender that is not confirmed, with code 401 and status 422",
        result: failure(422, 401, "Sender signature not confirmed"),
        outcome: {
          kind: "deferred",
          code: "401",
          reason: "Postmark error 401: Sender signature not confirmed",
          gatewayFault: "refused",
        },
      },
      {
        name: "out of credits",
        result: failure(422, 405, "Not allowed to send"),
        outcome: {
          kind: "deferred",
          code: "405",
          reason: "Postmark error 405: Not allowed to send",
          gatewayFault: "refused",
        },
      },
      {
        name: "a forbidden type of attachment",
        result: failure(422, 411, "Forbidden attachment type"),
        outcome: {
          kind: "rejected",
          code: "411",
          reason: "Postmark error 411: Forbidden attachment type",
        },
      },
      {
        name: "no such stream",
        result: failure(422, 1235, "The 'MessageStream' provided does not exist on this server."),
        outcome: {
          kind: "deferred",
          code: "1235",
          reason: "Postmark error 1235: The 'MessageStream' provided does not exist on this server.",
          gatewayFault: "refused",
        },
      },
      {
        name: "too large",
        result: answer(413, ""),
        outcome: { kind: "rejected", code: "http_413", reason: "The provider answered 413." },
      },
      {
        name: "too many requests",
        result: answer(429, { ErrorCode: 429, Message: "Rate limit exceeded" }, { "retry-after": "7" }),
        outcome: {
          kind: "deferred",
          code: "429",
          reason: "Postmark error 429: Rate limit exceeded",
          retryAfterMs: 7000,
        },
      },
      {
        name: "a code that is new is classed by its status",
        result: failure(422, 4999, "Something new"),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "4999",
          reason: "Postmark error 4999: Something new",
        },
      },
      {
        name: "a planned outage took nothing",
        result: failure(503, 100, "The Postmark API is offline for maintenance."),
        outcome: {
          kind: "deferred",
          code: "100",
          reason: "Postmark error 100: The Postmark API is offline for maintenance.",
          gatewayFault: "refused",
        },
      },
      {
        name: "a 503 of anything in between is in doubt",
        result: answer(503, "upstream timed out"),
        outcome: {
          kind: "unknown",
          code: "http_503",
          reason: "The provider answered 503: upstream timed out",
        },
      },
      {
        name: "a 500 is in doubt: only in most cases is the message lost",
        result: failure(500, 300, "x"),
        outcome: { kind: "unknown", code: "300", reason: "Postmark error 300: x" },
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
            From: '"Example" <news@example.com>',
            To: "ada@example.com",
            Subject: "Grüße",
            TextBody: "Hallo & willkommen 🎉",
            Headers: [],
            Attachments: [],
            ...fixed,
            ...untracked,
          }),
        },
      },
      {
        name: "everything at once, on another stream and base",
        settings: { message_stream: "news", base_url: "http://127.0.0.1:9000/" },
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
          url: "http://127.0.0.1:9000/email",
          headers,
          body: JSON.stringify({
            From: '"Müller, \\"Ada\\"" <news@example.com>',
            To: "ada@example.com",
            Subject: "Grüße",
            TextBody: "Hallo & willkommen 🎉",
            HtmlBody: "<p>Hallo</p>",
            ReplyTo: "help@example.com",
            Headers: [
              { Name: "List-Unsubscribe", Value: "<https://t.example.com/u/1>" },
              { Name: "List-Unsubscribe-Post", Value: "List-Unsubscribe=One-Click" },
            ],
            Attachments: [{ Name: "Übersicht.pdf", Content: "JVAA/w==", ContentType: "application/pdf" }],
            ...fixed,
            MessageStream: "news",
            ...untracked,
          }),
        },
      },
    ],
  },
  callbacks: {
    sign: ({ method, query, contentType, body }) => {
      const all = new URLSearchParams([...query, ["token", callbackToken]]);
      return {
        method,
        url: `${callbackUrl}?${all}`,
        query: all,
        headers: { "content-type": contentType },
        body,
      };
    },
    covers: { body: false, url: false },
    withoutSecret: (own: object) => ({ ...own, callback_token: undefined }),
    cases: [
      {
        name: "delivered",
        unsigned: json(event("Delivery", "DeliveredAt", { Details: "250 OK" })),
        received: { kind: "received", receipts: [{ status: "delivered", ...names }], inbound: [] },
      },
      {
        name: "bounced",
        unsigned: json(bounce("HardBounce", { Details: "smtp;550 5.1.1 no such user" })),
        received: {
          kind: "received",
          receipts: [
            {
              status: "bounced",
              ...names,
              code: "HardBounce",
              reason: "smtp;550 5.1.1 no such user",
              bounce: "hard",
            },
          ],
          inbound: [],
        },
      },
      {
        name: "without our id",
        unsigned: json(event("Delivery", "DeliveredAt", { Metadata: {} })),
        received: {
          kind: "received",
          receipts: [{ status: "delivered", reference, at, recipient: "ada@example.com" }],
          inbound: [],
        },
      },
      {
        name: "of a kind that is no concern here",
        unsigned: json({ RecordType: "Inbound", From: "x" }),
        received: { kind: "received", receipts: [], inbound: [] },
      },
      {
        name: "about no message",
        unsigned: json({ RecordType: "Delivery" }),
        received: { kind: "malformed", reason: "The event names no message." },
      },
      {
        name: "about nothing",
        unsigned: json({ MessageID: reference }),
        received: { kind: "malformed", reason: "The callback has no RecordType." },
      },
    ],
  },
});

test("postmark: the settings' URL is what the guard is asked about, and doubt is held", () => {
  assert.deepEqual(postmark.urls(postmark.settings.parse(settings)), [url]);
  assert.equal(postmark.onUnknown, "hold");
});

test("codes have a fault", () => {
  const expected: Record<string, string[]> = {
    permanent: ["406", "411"],
    unclear: ["300", "402", "403"],
    configuration: ["10", "100", "400", "401", "405", "409", "412", "413", "1226", "1235", "1236"],
    transient: ["429"],
  };
  for (const [fault, codes] of Object.entries(expected)) {
    for (const code of codes) assert.equal(postmarkFault(code, ""), fault, code);
  }
  for (const code of ["0", "11", "500", "9999", "constructor"]) {
    assert.equal(postmarkFault(code, ""), undefined, code);
  }
});

test("an invalid email request is the gateway's fault when it is about the sender", () => {
  assert.equal(postmarkFault("300", "Invalid 'From' address: 'x'."), "configuration");
  assert.equal(postmarkFault("300", "Error parsing 'From': Illegal email domain"), "configuration");
  assert.equal(postmarkFault("300", "Invalid 'To' address: 'From'."), "unclear");
  assert.equal(postmarkFault("406", "Invalid 'From'"), "permanent");
});

test("the code is the body's, and 0 is no error", () => {
  assert.equal(postmarkCode({ ErrorCode: "406", Message: "x" }), "406");
  for (const json of [
    null,
    {},
    { ErrorCode: "0" },
    { ErrorCode: "x" },
    { ErrorCode: null },
    { errorcode: "1" },
  ]) {
    assert.equal(postmarkCode(json), null);
  }
});

test("only a 503 of Postmark's own says that the API is offline", async () => {
  const kindOf = async (status: number, body: object | string) => {
    const tools = toolsWith({ outbound: scriptedOutbound(answer(status, body)) });
    return (await sendOnce(postmark, sampleEmail(), postmark.settings.parse(settings), tools)).kind;
  };
  assert.equal(await kindOf(503, { ErrorCode: 100 }), "deferred");
  assert.equal(await kindOf(500, { ErrorCode: 100 }), "unknown");
  assert.equal(await kindOf(503, { ErrorCode: 10 }), "unknown");
  assert.equal(await kindOf(503, ""), "unknown");
});

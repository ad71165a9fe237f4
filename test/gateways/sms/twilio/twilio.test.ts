// Twilio on recorded traffic: requests to the byte, error codes, status callbacks and incoming messages.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "#gateways/callback.ts";
import { twilio } from "#gateways/sms/twilio/twilio.ts";
import { gatewayConformance } from "../../conformance.ts";
import { now, textOf } from "../../conformance-samples.ts";
import { answer } from "../../scripted-outbound.ts";
import { accountSid, authToken, settings, sid, sign } from "./twilio-example.ts";

const basic = Buffer.from(`${accountSid}:${authToken}`).toString("base64");
const api = `https://api.twilio.com/2010-04-01/Accounts/${accountSid}/Messages.json`;
const headers = {
  authorization: `Basic ${basic}`,
  "content-type": "application/x-www-form-urlencoded",
  accept: "application/json",
};

/** An answer of the Messages resource as Twilio's documentation shows it. */
const queued = {
  sid,
  date_created: "Wed, 10 Oct 2012 17:57:42 +0000",
  account_sid: accountSid,
  to: "+14108675310",
  from: "+15005550006",
  body: "hi",
  status: "queued",
  direction: "outbound-api",
  error_code: null,
};

const failure = (status: number, code: number, message: string) =>
  answer(status, { status, message, code, more_info: `https://www.twilio.com/docs/errors/${code}` });

const form = (fields: Record<string, string>, query: [string, string][] = []) => ({
  query,
  body: Buffer.from(new URLSearchParams(fields).toString()),
});
const received = (...receipts: Receipt[]) => ({ kind: "received" as const, receipts, inbound: [] });
const status = (word: string, more: Record<string, string> = {}) =>
  form({ SmsSid: sid, SmsStatus: word, MessageStatus: word, To: "+1", MessageSid: sid, ...more }, [
    ["message", "msg_01test"],
  ]);

gatewayConformance(twilio, {
  settings,
  secrets: [authToken, basic],
  refused: [
    { settings: {}, path: "account_sid", says: /string/ },
    { settings: { ...settings, account_sid: "SK123" }, path: "account_sid", says: /AC/ },
    { settings: { ...settings, account_sid: "AC1/../x" }, path: "account_sid", says: /AC/ },
    { settings: { ...settings, auth_token: "" }, path: "auth_token", says: /./ },
    { settings: { ...settings, auth_token: undefined }, path: "auth_token", says: /string/ },
    { settings: { ...settings, from: undefined }, path: "from", says: /messaging_service_sid/ },
    { settings: { ...settings, messaging_service_sid: "MG1" }, path: "from", says: /either/ },
    {
      settings: { ...settings, from: undefined, messaging_service_sid: "AC1" },
      path: "messaging_service_sid",
      says: /MG/,
    },
    { settings: { ...settings, base_url: "api.twilio.com" }, path: "base_url", says: /http/ },
    { settings: { ...settings, timeout_ms: "30000" }, path: "timeout_ms", says: /number/ },
  ],
  http: {
    wire: [
      { name: "queued", result: answer(201, queued), outcome: { kind: "accepted", reference: sid } },
      {
        name: "failed at once",
        result: answer(201, { ...queued, status: "failed", error_code: 30007 }),
        outcome: {
          kind: "accepted",
          reference: sid,
          receipt: { status: "failed", code: "30007", reason: "Twilio or the carrier filtered the message." },
        },
      },
      {
        name: "201 without a SID",
        result: answer(201, { status: "queued" }),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "Twilio answered 201 without a message id.",
        },
      },
      {
        name: "a page with 200",
        result: answer(200, "<html></html>"),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "Twilio answered 200 without a message id.",
        },
      },
      {
        name: "not a mobile number",
        result: failure(400, 21614, "To number: +15005550009, is not a mobile number"),
        outcome: {
          kind: "rejected",
          code: "21614",
          reason: "Twilio error 21614: To number: +15005550009, is not a mobile number",
        },
      },
      {
        name: "opted out",
        result: failure(400, 21610, "Attempt to send to unsubscribed recipient"),
        outcome: {
          kind: "rejected",
          code: "opted_out",
          reason: "Twilio error 21610: Attempt to send to unsubscribed recipient",
        },
      },
      {
        name: "a region that is not permitted is the message's fault, though it may come as 403",
        result: failure(403, 21408, "Permission to send an SMS has not been enabled"),
        outcome: {
          kind: "rejected",
          code: "21408",
          reason: "Twilio error 21408: Permission to send an SMS has not been enabled",
        },
      },
      {
        name: "a From that is not ours is the gateway's trouble, though it comes as 400",
        result: failure(400, 21660, "Mismatch between the 'From' number and the account"),
        outcome: {
          kind: "deferred",
          code: "21660",
          reason: "Twilio error 21660: Mismatch between the 'From' number and the account",
          gatewayFault: "refused",
        },
      },
      {
        name: "bad credentials",
        result: failure(401, 20003, `Authenticate ${authToken}`),
        outcome: {
          kind: "deferred",
          code: "20003",
          reason: "Twilio error 20003: Authenticate ***",
          gatewayFault: "refused",
        },
      },
      {
        name: "too many requests",
        result: answer(429, { code: 20429, message: "Too Many Requests" }, { "retry-after": "2" }),
        outcome: {
          kind: "deferred",
          code: "20429",
          reason: "Twilio error 20429: Too Many Requests",
          retryAfterMs: 2000,
        },
      },
      {
        name: "the account's day is full",
        result: failure(429, 63038, "Account exceeded the daily messages limit"),
        outcome: {
          kind: "deferred",
          code: "63038",
          reason: "Twilio error 63038: Account exceeded the daily messages limit",
          gatewayFault: "refused",
        },
      },
      {
        name: "the sender's queue is full",
        result: failure(400, 21611, "This 'From' number has exceeded the maximum number of queued messages"),
        outcome: {
          kind: "deferred",
          code: "21611",
          reason: "Twilio error 21611: This 'From' number has exceeded the maximum number of queued messages",
        },
      },
      {
        name: "a code that is new is classed by its status",
        result: failure(400, 21999, "Something new"),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "21999",
          reason: "Twilio error 21999: Something new",
        },
      },
      {
        name: "a new code with 409 stays in doubt",
        result: failure(409, 20409, "Conflict"),
        outcome: { kind: "unknown", code: "20409", reason: "Twilio error 20409: Conflict" },
      },
      {
        name: "an error without a code",
        result: answer(404, ""),
        outcome: {
          kind: "deferred",
          code: "http_404",
          reason: "The provider answered 404.",
          gatewayFault: "refused",
        },
      },
      {
        name: "a 5xx is in doubt, with any code",
        result: failure(503, 21211, "Invalid 'To' Phone Number"),
        outcome: {
          kind: "unknown",
          code: "http_503",
          reason: "The provider answered 503: Invalid 'To' Phone Number",
        },
      },
    ],
    requests: [
      {
        name: "from a number",
        request: {
          method: "POST",
          url: api,
          headers,
          body: "To=%2B4915112345678&From=%2B15005550006&Body=Gr%C3%BC%C3%9Fe+%26+100%25+%7B%7Bto%7D%7D+%F0%9F%8E%89&StatusCallback=https%3A%2F%2Fsms.example.test%2Fcallbacks%2Fsms-main%3Fmessage%3Dmsg_01test",
        },
      },
      {
        name: "through a messaging service, without a public URL, to another base",
        settings: {
          from: undefined,
          messaging_service_sid: "MG1",
          base_url: "https://api.dublin.ie1.twilio.com/",
        },
        message: { content: textOf("hi") },
        callbackUrl: null,
        request: {
          method: "POST",
          url: api.replace("api.", "api.dublin.ie1."),
          headers,
          body: "To=%2B4915112345678&MessagingServiceSid=MG1&Body=hi",
        },
      },
    ],
  },
  callbacks: {
    sign,
    covers: { body: true, url: true },
    withoutSecret: (own: object) => ({ ...own, auth_token: "" }),
    cases: [
      {
        name: "delivered",
        unsigned: status("delivered", { RawDlrDoneDate: "2611201203" }),
        received: received({ status: "delivered", reference: sid, messageId: "msg_01test" }),
      },
      {
        name: "sent, twice the same field",
        unsigned: { body: Buffer.from(`MessageSid=${sid}&MessageStatus=sent&To=b&To=a&To=a`) },
        received: received({ status: "sent", reference: sid }),
      },
      {
        name: "read",
        unsigned: status("read"),
        received: received({ status: "read", reference: sid, messageId: "msg_01test" }),
      },
      {
        name: "undelivered, with a code",
        unsigned: status("undelivered", { ErrorCode: "30003" }),
        received: received({
          status: "undelivered",
          code: "30003",
          reason: "The phone is switched off or out of reach.",
          reference: sid,
          messageId: "msg_01test",
        }),
      },
      {
        name: "failed for a fault of the account",
        unsigned: status("failed", { ErrorCode: "30002" }),
        received: {
          ...received({
            status: "failed",
            code: "30002",
            reason: "The Twilio account was suspended before the message was sent.",
            reference: sid,
            messageId: "msg_01test",
          }),
          accountUpdates: [
            {
              at: now,
              notice:
                "The provider took messages, and failed one for a fault of the account (30002). The Twilio account was suspended before the message was sent.",
              pauseUntil: now + 300_000,
            },
          ],
        },
      },
      {
        name: "failed, with a code that is new",
        unsigned: status("failed", { ErrorCode: "39999" }),
        received: received({
          status: "failed",
          code: "39999",
          reason: "Twilio reports error 39999.",
          reference: sid,
          messageId: "msg_01test",
        }),
      },
      {
        name: "canceled",
        unsigned: status("canceled"),
        received: received({
          status: "failed",
          code: "canceled",
          reason: "Cancelled at Twilio.",
          reference: sid,
          messageId: "msg_01test",
        }),
      },
      { name: "still on its way", unsigned: status("sending"), received: received() },
      {
        name: "a status that is new",
        unsigned: status("partially_delivered"),
        received: { ...received(), unknownWords: ["partially_delivered"] },
      },
      {
        name: "as a GET",
        unsigned: {
          method: "GET",
          query: [
            ["message", "msg_1"],
            ["MessageSid", sid],
            ["MessageStatus", "delivered"],
          ],
        },
        received: received({ status: "delivered", reference: sid, messageId: "msg_1" }),
      },
      {
        name: "an incoming message with media",
        unsigned: form({
          MessageSid: "MM1",
          SmsStatus: "received",
          From: "+4915112345678",
          To: "+15005550006",
          Body: "Stop &\0 go + 🎉",
          NumMedia: "2",
          MediaUrl0: "https://api.twilio.com/media/0",
          MediaContentType0: "image/jpeg",
          MediaUrl1: "https://api.twilio.com/media/1",
        }),
        received: {
          kind: "received",
          receipts: [],
          inbound: [
            {
              reference: "MM1",
              from: "+4915112345678",
              to: "+15005550006",
              message: "Stop & go + 🎉",
              media: [
                { url: "https://api.twilio.com/media/0", contentType: "image/jpeg" },
                { url: "https://api.twilio.com/media/1", contentType: null },
              ],
            },
          ],
          reply: { contentType: "text/xml", body: "<Response/>" },
        },
      },
      {
        name: "about no message",
        unsigned: form({ MessageStatus: "delivered" }),
        received: { kind: "malformed", reason: "The callback names no message." },
      },
      {
        name: "saying nothing",
        unsigned: form({ MessageSid: sid }),
        received: { kind: "malformed", reason: "The callback says nothing about its message." },
      },
    ],
  },
});

test("twilio: the settings' URL is what the guard is asked about", () => {
  assert.deepEqual(twilio.urls(twilio.settings.parse(settings)), [api]);
});

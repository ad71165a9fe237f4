// Twilio Programmable Messaging: send (https://www.twilio.com/docs/messaging/api/message-resource), status callbacks and
// incoming messages. Twilio has no idempotency key: a message that may have been sent stays `unknown` until the status
// callback, whose URL carries our id, settles it.

import { z } from "zod";
import type { InboundMessage, Receipt, Received } from "#gateways/callback.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { referenceFrom, textAt } from "#gateways/json-path.ts";
import type { FinalReceipt, ReceiptStatus } from "#gateways/outcome.ts";
import { basic } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms } from "#gateways/sms/engine/http-sms.ts";
import { accountFaultUpdate } from "#gateways/vendor-event.ts";
import type { AnswerFormat } from "#gateways/vendor-outcome.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";
import { deliveryError, faultOf } from "./errors.ts";
import { verifiedParameters } from "./signature.ts";

const settings = z
  .strictObject({
    account_sid: z
      .string()
      .regex(/^AC[0-9A-Za-z]+$/, 'Must be an account SID, which starts with "AC".')
      .describe("The account SID of the Twilio console."),
    auth_token: secret().describe("The auth token of that account: signs requests and checks callbacks."),
    from: z
      .string()
      .min(1)
      .optional()
      .describe("The sender: a number in E.164, a short code or an alphanumeric sender id."),
    messaging_service_sid: z
      .string()
      .regex(/^MG[0-9A-Za-z]+$/, 'Must be a messaging service SID, which starts with "MG".')
      .optional()
      .describe("The messaging service that chooses the sender, instead of `from`."),
    base_url: baseUrlField()
      .default("https://api.twilio.com")
      .describe("Twilio's API, for another region or a test double."),
    timeout_ms: timeoutField,
  })
  .refine((settings) => (settings.from === undefined) !== (settings.messaging_service_sid === undefined), {
    path: ["from"],
    error: "Give either `from` or `messaging_service_sid`.",
  });

type TwilioSettings = z.output<typeof settings>;

function messagesUrl({ base_url, account_sid }: TwilioSettings): string {
  return joinUrl(base_url, `/2010-04-01/Accounts/${account_sid}/Messages.json`);
}

/**
 * A 2xx with a `sid` is `accepted`, one without is `unknown`. The error code decides a 4xx that has one, and the status
 * everything else; a 5xx is `unknown`, and its body is not read for that.
 */
const answerFormat: AnswerFormat = {
  vendor: "Twilio",
  reference: (json) => textAt(json, "$.sid"),
  receipt: (json) => {
    const receipt = receiptOf(textAt(json, "$.status"), textAt(json, "$.error_code"));
    return receipt?.status === "sent" ? null : receipt;
  },
  code: (json, { status }) => {
    const code = textAt(json, "$.code");
    return status >= 400 && status <= 499 && code !== null && /^\d{1,6}$/.test(code) ? code : null;
  },
  faultOf: ({ code }) => faultOf(Number(code)),
};

const receiptStatuses = new Map<string, ReceiptStatus>([
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["read", "read"],
  ["undelivered", "undelivered"],
  ["failed", "failed"],
  ["canceled", "failed"],
]);

/** For failures after Twilio accepted the message: the account is suspended. */
const accountFaults = new Set(["30002"]);

const intermediate = new Set(["accepted", "queued", "scheduled", "sending", "receiving"]);

/** Null for intermediate and unknown statuses. */
function receiptOf(word: string | null, errorCode: string | null): FinalReceipt | null {
  const status = receiptStatuses.get(word ?? "");
  if (status === undefined) return null;
  if (status !== "undelivered" && status !== "failed") return { status };
  if (errorCode !== null && /^[1-9]\d{0,5}$/.test(errorCode)) {
    return { status, code: errorCode, reason: deliveryError(errorCode) };
  }
  return word === "canceled" ? { status, code: "canceled", reason: "Cancelled at Twilio." } : { status };
}

/**
 * A verified call: a status callback if it has a `MessageStatus` (only old ones have `SmsStatus` alone), an incoming message if it has a
 * text or media. `RawDlrDoneDate` is not read: it has no time zone, and carriers use different ones.
 */
function receivedFrom(parameters: URLSearchParams, messageId: string | null, now: number): Received {
  const reference = referenceFrom(parameters.get("MessageSid") ?? parameters.get("SmsSid"));
  if (reference === null) return { kind: "malformed", reason: "The callback names no message." };
  const word = parameters.get("MessageStatus");
  if (word === null && (parameters.has("Body") || parameters.has("NumMedia"))) {
    const inbound = inboundFrom(parameters, reference);
    if (inbound === null) return { kind: "malformed", reason: "The message has no sender." };
    return {
      kind: "received",
      receipts: [],
      inbound: [inbound],
      reply: { contentType: "text/xml", body: "<Response/>" },
    };
  }
  const status = word ?? parameters.get("SmsStatus");
  if (status === null) return { kind: "malformed", reason: "The callback says nothing about its message." };
  const final = receiptOf(status, parameters.get("ErrorCode"));
  if (final === null) {
    const unknown = intermediate.has(status) ? {} : { unknownWords: [status] };
    return { kind: "received", receipts: [], inbound: [], ...unknown };
  }
  const receipt: Receipt = { ...final, reference };
  if (messageId !== null && /^[\w-]{1,64}$/.test(messageId)) receipt.messageId = messageId;
  const { code = "", reason } = final;
  const received = { kind: "received" as const, receipts: [receipt], inbound: [] };
  if (!accountFaults.has(code)) return received;
  return { ...received, accountUpdates: [accountFaultUpdate(code, reason, now)] };
}

/** Twilio sends up to ten media. NUL is dropped: PostgreSQL cannot store it in a text. */
function inboundFrom(parameters: URLSearchParams, reference: string): InboundMessage | null {
  const text = (name: string) => (parameters.get(name) ?? "").replaceAll("\0", "");
  const from = text("From");
  if (from === "") return null;
  const media: InboundMessage["media"] = [];
  const count = /^\d{1,2}$/.test(text("NumMedia")) ? Number(text("NumMedia")) : 0;
  for (let index = 0; index < Math.min(count, 10); index += 1) {
    const url = text(`MediaUrl${index}`);
    if (url !== "") media.push({ url, contentType: text(`MediaContentType${index}`) || null });
  }
  return { reference, from, to: text("To"), message: text("Body"), media };
}

export const twilio = defineHttpSms({
  kind: "twilio",
  title: "Twilio",
  summary: "SMS through Twilio, with signed delivery reports and incoming messages.",
  settings,
  url: messagesUrl,
  auth: ({ account_sid, auth_token }) => basic(account_sid, auth_token),
  request: ({ id, to, text, callbackUrl }, { from, messaging_service_sid }, url) => ({
    url,
    form: {
      To: to,
      From: from,
      MessagingServiceSid: messaging_service_sid,
      Body: text,
      StatusCallback: callbackUrl === null ? undefined : `${callbackUrl}?message=${encodeURIComponent(id)}`,
    },
  }),
  answer: answerFormat,
  receive(callback, { auth_token }, { clock }): Received {
    if (auth_token === "") return { kind: "not_configured", reason: "The gateway has no auth token." };
    const parameters = verifiedParameters(callback, auth_token);
    if (parameters === null) return { kind: "forbidden", reason: "The X-Twilio-Signature does not fit." };
    return receivedFrom(parameters, callback.query.get("message"), clock.now());
  },
});

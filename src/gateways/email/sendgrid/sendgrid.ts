// Twilio SendGrid: mail/send of the Web API v3 (https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send)
// and its signed Event Webhook. SendGrid has no idempotency key: what may have been sent stays `unknown`, and the
// `processed` event, which carries our id, settles it.

import { z } from "zod";
import {
  base64Attachments,
  isFresh,
  messageIdTag,
  requireEmail,
  senderOf,
} from "#gateways/email/http-mail.ts";
import { emailFields } from "#gateways/email/settings.ts";
import {
  defineGateway,
  type Outcome,
  type OutgoingMessage,
  type Received,
  secret,
} from "#gateways/gateway.ts";
import { retryAfter, timeoutField } from "#gateways/http-outcome.ts";
import { textAt } from "#gateways/sms/http-api/json-path.ts";
import { type Fault, vendorOutcome } from "#gateways/vendor-outcome.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import { receivedFrom } from "./events.ts";
import { signedAt, verificationKey } from "./signature.ts";

const settings = z.strictObject({
  ...emailFields,
  api_key: secret().describe("An API key that may do `mail.send`."),
  webhook_public_key: z
    .string()
    .refine((text) => verificationKey(text) !== null, {
      error: "Must be the verification key of a signed Event Webhook, in base64.",
    })
    .optional()
    .describe("The verification key of the signed Event Webhook. Without it no events are taken."),
  provider_tracking: z
    .boolean()
    .default(false)
    .describe(
      "Leaves SendGrid's own tracking and unsubscribe links as the SendGrid account has them. Otherwise they are switched off for these mails.",
    ),
  base_url: z
    .string()
    .regex(/^https?:\/\/[^?#\s]+$/i, "Must be an http or https URL without a query.")
    .default("https://api.sendgrid.com")
    .describe("SendGrid's API: https://api.eu.sendgrid.com for the EU, or a test double."),
  timeout_ms: timeoutField,
});

type SendGridSettings = z.output<typeof settings>;

export const sendgrid = defineGateway({
  kind: "sendgrid",
  channels: ["email"],
  title: "SendGrid",
  summary: "Email through Twilio SendGrid, with signed events.",
  settings,
  // Of the whole request.
  maxMessageBytes: 30 * 1024 * 1024,
  urls: (own) => [sendUrl(own)],
  async send(message, own, tools): Promise<Outcome> {
    const result = await tools.outbound.request({
      method: "POST",
      url: sendUrl(own),
      headers: {
        authorization: `Bearer ${own.api_key}`,
        "content-type": "application/json",
        accept: "application/json",
      },
      body: JSON.stringify(await requestOf(message, own)),
      timeoutMs: tools.timeoutMs,
      signal: tools.signal,
    });
    return outcomeOf(result, own, tools.clock.now());
  },
  receive(callback, own, tools): Received {
    const key = verificationKey(own.webhook_public_key ?? "");
    if (key === null) return { kind: "not_configured", reason: "The gateway has no verification key." };
    const at = signedAt(callback, key);
    if (at === null) return { kind: "forbidden", reason: "The signature does not fit." };
    if (!isFresh(at, tools.clock.now())) return { kind: "forbidden", reason: "The callback is too old." };
    return receivedFrom(callback.body);
  },
});

function sendUrl(own: SendGridSettings): string {
  return `${own.base_url.replace(/(?<!\/)\/+$/, "")}/v3/mail/send`;
}

/** SendGrid decides about the return path itself; the mail may have 30 MB in all. */
async function requestOf(message: OutgoingMessage, own: SendGridSettings): Promise<object> {
  const email = requireEmail(message);
  const { address, name } = senderOf(email, own);
  const attachments = await base64Attachments(email);
  const off = { enable: false };
  return {
    personalizations: [{ to: [{ email: message.recipient }], custom_args: { [messageIdTag]: message.id } }],
    from: { email: address, ...(name === null ? {} : { name }) },
    ...(email.replyTo === null ? {} : { reply_to: { email: email.replyTo } }),
    subject: email.subject,
    // Text has to come first, and no part may be empty.
    content: [
      ...(email.text === "" && email.html !== null ? [] : [{ type: "text/plain", value: email.text || " " }]),
      ...(email.html === null ? [] : [{ type: "text/html", value: email.html }]),
    ],
    ...(email.headers.length === 0 ? {} : { headers: Object.fromEntries(email.headers) }),
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ filename, contentType, base64 }) => ({
            content: base64,
            filename,
            type: contentType,
            disposition: "attachment",
          })),
        }),
    ...(own.provider_tracking
      ? {}
      : { tracking_settings: { click_tracking: off, open_tracking: off, subscription_tracking: off } }),
  };
}

/**
 * Only 202 is a mail that is queued (200 is SendGrid's sandbox mode). SendGrid has no error codes: the status tells,
 * and for a 400 the field that is wrong. How long a 429 lasts stands in `X-RateLimit-Reset`, in epoch seconds.
 */
function outcomeOf(result: OutboundResult, own: SendGridSettings, now: number): Outcome {
  const outcome = vendorOutcome(result, {
    vendor: "SendGrid",
    secrets: [own.api_key],
    now,
    reference: (_json, answer) => (answer.status === 202 ? (answer.headers["x-message-id"] ?? null) : null),
    code: (json, { status }) => (status === 400 ? textAt(json, "$.errors[0].field") : null),
    faultOf: faultOfField,
  });
  if (result.kind !== "answer" || result.status !== 429 || outcome.kind !== "deferred") return outcome;
  if (outcome.retryAfterMs !== undefined) return outcome;
  const reset = result.headers["x-ratelimit-reset"] ?? "";
  const seconds = /^\d{9,11}$/.test(reset) ? Math.max(0, Number(reset) - Math.floor(now / 1000)) : null;
  return seconds === null ? outcome : { ...outcome, ...retryAfter(String(seconds), now) };
}

/** The gateway's own address is wrong for every mail; any other field is this mail's. */
function faultOfField(field: string): Fault | undefined {
  return /^from(?:\.|$)/.test(field) ? "configuration" : undefined;
}

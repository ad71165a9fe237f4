// Resend (https://resend.com/docs/api-reference/emails/send-email). Our id is the Idempotency-Key, which Resend
// remembers for 24 hours (https://resend.com/docs/dashboard/emails/idempotency-keys), so what may have been sent is
// sent once more: the second request gets the first one's answer. Its tracking is a switch of the domain, not the mail.

import { z } from "zod";
import { base64Attachments, mailboxText, messageIdTag, senderOf } from "#gateways/email/http-mail.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { defineGateway, type OutgoingMessage, secret } from "#gateways/gateway.ts";
import { timeoutField } from "#gateways/http-outcome.ts";
import { textAt } from "#gateways/sms/http-api/json-path.ts";
import { vendorOutcome } from "#gateways/vendor-outcome.ts";
import { resendCode, resendFault } from "./errors.ts";
import { receiveResend } from "./events.ts";
import { svixSecret } from "./svix-signature.ts";

const settings = z.strictObject({
  ...emailFields,
  api_key: secret().describe("An API key of Resend; one with sending access is enough."),
  webhook_secret: secret()
    .regex(svixSecret, 'Must be the signing secret of a webhook, which starts with "whsec_".')
    .optional()
    .describe("The signing secret of the webhook: checks callbacks. Without it they are refused."),
  base_url: z
    .string()
    .regex(/^https?:\/\/[^?#\s]+$/i, "Must be an http or https URL without a query.")
    .default("https://api.resend.com")
    .describe("Resend's API, for a test double."),
  timeout_ms: timeoutField,
});

type ResendSettings = z.output<typeof settings>;

export const resend = defineGateway({
  kind: "resend",
  channels: ["email"],
  title: "Resend",
  summary: "Email through Resend, without duplicates, and with signed events.",
  settings,
  // In base64 (https://resend.com/docs/dashboard/emails/attachments).
  maxMessageBytes: 40 * 1024 * 1024,
  onUnknown: "resend",
  // Of its 24 hours, less the time that a request may take.
  idempotencyWindowMs: 23 * 3_600_000,
  urls: (own) => [emailsUrl(own)],
  async send(message, own, tools) {
    const result = await tools.outbound.request({
      method: "POST",
      url: emailsUrl(own),
      headers: {
        authorization: `Bearer ${own.api_key}`,
        "content-type": "application/json",
        accept: "application/json",
        "idempotency-key": message.id,
        // Requests without one are refused (https://resend.com/docs/api-reference/introduction).
        "user-agent": "Trunkline",
      },
      body: JSON.stringify(await bodyOf(message, own)),
      timeoutMs: tools.timeoutMs,
      signal: tools.signal,
    });
    return vendorOutcome(result, {
      vendor: "Resend",
      secrets: [own.api_key, own.webhook_secret ?? ""],
      now: tools.clock.now(),
      reference: (json) => textAt(json, "$.id"),
      code: resendCode,
      faultOf: resendFault,
    });
  },
  receive: (callback, own, { clock }) => receiveResend(callback, own.webhook_secret, clock.now()),
});

function emailsUrl(own: ResendSettings): string {
  return `${own.base_url.replace(/(?<!\/)\/+$/, "")}/emails`;
}

/** The same on every try, as the idempotency key asks for. An undefined field does not reach the JSON. */
async function bodyOf(message: OutgoingMessage, own: ResendSettings): Promise<object> {
  const email = message.email!;
  const attachments = await base64Attachments(email);
  return {
    from: mailboxText(senderOf(email, own)),
    to: [message.recipient],
    subject: email.subject,
    text: email.text,
    html: email.html ?? undefined,
    reply_to: email.replyTo ?? undefined,
    headers: email.headers.length === 0 ? undefined : Object.fromEntries(email.headers),
    attachments:
      attachments.length === 0
        ? undefined
        : attachments.map(({ filename, contentType, base64 }) => ({
            filename,
            content: base64,
            content_type: contentType,
          })),
    // Letters, digits, `_` and `-` only, which our ids are made of.
    tags: [{ name: messageIdTag, value: message.id }],
  };
}

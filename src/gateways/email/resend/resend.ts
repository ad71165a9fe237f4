// Resend (https://resend.com/docs/api-reference/emails/send-email). Our id is the Idempotency-Key, which Resend remembers
// for 24 hours (https://resend.com/docs/dashboard/emails/idempotency-keys), so a mail that may have been sent is sent once
// more: the second request gets the answer of the first. Tracking is a switch of Resend's domain, not of the mail.

import { z } from "zod";
import {
  base64Attachments,
  defineHttpMail,
  type EmailMessage,
  jsonRequest,
  mailboxText,
  messageIdTag,
  recipientsOf,
  senderOf,
  tagPairs,
} from "#gateways/email/http-mail.ts";
import type { EventReport } from "#gateways/email/mail-events.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { type Json, textAt } from "#gateways/json-path.ts";
import { omitUndefined, reasonText } from "#gateways/vendor-event.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";
import { svixSecret, svixVerified } from "./svix-signature.ts";

const settings = z.strictObject({
  ...emailFields,
  api_key: secret().describe("An API key of Resend; one with sending access is enough."),
  webhook_secret: secret()
    .regex(svixSecret, 'Must be the signing secret of a webhook, which starts with "whsec_".')
    .optional()
    .describe("The signing secret of the webhook: checks callbacks. Without it they are refused."),
  base_url: baseUrlField().default("https://api.resend.com").describe("Resend's API, for a test double."),
  timeout_ms: timeoutField,
});

type ResendSettings = z.output<typeof settings>;

export const resend = defineHttpMail({
  kind: "resend",
  title: "Resend",
  summary: "Email through Resend, without duplicates, and with signed events.",
  settings,
  // In base64 (https://resend.com/docs/dashboard/emails/attachments).
  maxMessageBytes: 40 * 1024 * 1024,
  onUnknown: "resend",
  // 24 hours, less the time that a request may take.
  idempotencyWindowMs: 23 * 3_600_000,
  url: (settings) => joinUrl(settings.base_url, "/emails"),
  request: async (message, settings) => {
    const headers = {
      authorization: `Bearer ${settings.api_key}`,
      "idempotency-key": message.id,
      // Requests without one are refused (https://resend.com/docs/api-reference/introduction).
      "user-agent": "Trunkline",
    };
    return jsonRequest(headers, await bodyOf(message, settings));
  },
  answer: () => ({
    vendor: "Resend",
    reference: (json) => textAt(json, "$.id"),
    code: resendCode,
    faultOf: ({ code, status }) => resendFault(code, status),
  }),
  // Webhooks (https://resend.com/docs/webhooks/event-types): one signed JSON event a call.
  events: {
    proof(callback, { webhook_secret: secret }, { clock }) {
      if (secret === undefined || secret === "")
        return { kind: "not_configured", reason: "The gateway has no webhook secret." };
      const key = svixVerified(callback, secret, clock.now());
      return key === null
        ? { kind: "forbidden", reason: "The svix-signature is missing, wrong or too old." }
        : { kind: "verified", key };
    },
    type: "$.type",
    reference: "$.data.email_id",
    // All recipients of the mail: with several, the event does not say whose it is.
    recipient: (event) => (textAt(event, "$.data.to[1]") === null ? textAt(event, "$.data.to[0]") : null),
    id: `$.data.tags.${messageIdTag}`,
    // The time of the event; the one in `data` is when the mail was created.
    at: ["$.created_at"],
    client: {
      url: "$.data.click.link",
      userAgent: "$.data.click.userAgent",
      ip: "$.data.click.ipAddress",
    },
    // `email.sent` and `email.scheduled` say no more than the answer to the request did.
    words: {
      "email.delivered": { status: "delivered" },
      "email.bounced": bounceOf,
      "email.failed": (event) => failed("failed", textAt(event, "$.data.failed.reason")),
      "email.suppressed": (event) => failed("suppressed", textAt(event, "$.data.suppressed.message")),
      "email.delivery_delayed": { kind: "deferred" },
      "email.complained": { kind: "complained" },
      "email.opened": { kind: "opened" },
      "email.clicked": { kind: "clicked" },
    },
  },
});

/** The same at every attempt, as the idempotency key requires. */
async function bodyOf(message: EmailMessage, settings: ResendSettings): Promise<object> {
  const { content: email } = message;
  const { to, cc, bcc } = recipientsOf(message);
  const attachments = await base64Attachments(email);
  return {
    from: mailboxText(senderOf(email, settings)),
    to: to.map(mailboxText),
    cc: cc.length === 0 ? undefined : cc.map(mailboxText),
    bcc: bcc.length === 0 ? undefined : bcc.map(mailboxText),
    subject: email.subject,
    text: email.text,
    html: email.html ?? undefined,
    reply_to: email.replyTo.length === 0 ? undefined : email.replyTo.map(mailboxText),
    headers: email.headers.length === 0 ? undefined : Object.fromEntries(email.headers),
    attachments:
      attachments.length === 0
        ? undefined
        : attachments.map(({ filename, contentType, base64, contentId }) => ({
            filename,
            content: base64,
            content_type: contentType,
            content_id: contentId,
          })),
    // Tags may contain letters, digits, `_` and `-` only; our ids do.
    tags: [
      { name: messageIdTag, value: message.id },
      ...tagPairs(email).map(([name, value]) => ({ name, value })),
    ],
  };
}

/** Error names (https://resend.com/docs/api-reference/errors). Some occur with several statuses, so both count. */
const faults = new Map<string, Fault>([
  ["validation_error", "unclear"], // with 400 and 422; for 403 see below
  ["missing_required_field", "unclear"],
  ["invalid_attachment", "permanent"],
  ["invalid_parameter", "unclear"],
  ["invalid_idempotency_key", "permanent"],
  ["missing_api_key", "configuration"],
  ["restricted_api_key", "configuration"],
  ["invalid_api_key", "configuration"],
  ["invalid_from_address", "configuration"], // the sender's address is a setting
  ["invalid_access", "configuration"],
  ["invalid_region", "configuration"],
  ["not_found", "configuration"],
  ["method_not_allowed", "configuration"],
  ["security_error", "configuration"],
  ["daily_quota_exceeded", "configuration"], // of a rolling day, so waiting helps
  ["monthly_quota_exceeded", "configuration"],
  ["rate_limit_exceeded", "transient"],
  // A request with this key was made before. The answer does not say whether its mail was sent.
  ["concurrent_idempotent_requests", "ambiguous"],
  ["invalid_idempotent_request", "ambiguous"],
]);

export function resendCode(json: Json): string | null {
  return textAt(json, "$.name");
}

/** Undefined for a name that is not listed. */
export function resendFault(code: string, status: number): Fault | undefined {
  // The domain is not verified, or the account may only send to itself.
  if (code === "validation_error" && status === 403) return "configuration";
  return faults.get(code);
}

/** Resend accepted the mail and did not send it. */
function failed(code: string, reason: string | null): EventReport {
  return omitUndefined<EventReport>({ status: "failed", code, reason: reasonText(reason) });
}

/**
 * `Permanent` is hard, `Transient` and `Undetermined` are soft. A mail to an address on the suppression list was not
 * sent at all (https://resend.com/docs/dashboard/emails/email-bounces).
 */
function bounceOf(event: Json): EventReport {
  const subType = textAt(event, "$.data.bounce.subType") ?? "";
  const reason = textAt(event, "$.data.bounce.message");
  if (/suppress/i.test(subType)) return failed("suppressed", reason);
  return omitUndefined<EventReport>({
    status: "bounced",
    code: /^\w{1,64}$/.test(subType) ? subType : undefined,
    reason: reasonText(reason),
    bounce: textAt(event, "$.data.bounce.type") === "Permanent" ? "hard" : "soft",
  });
}

// Brevo (https://developers.brevo.com/reference/sendtransacemail). Its idempotency key is valid for 15 to 30 minutes, depending on the
// page, and a lane may pause for longer: a mail that may have been sent is held, not repeated, unless the gateway's rules ask for it.
// Tracking is a switch of the Brevo account, not of the mail.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Mailbox } from "#contract/mailbox.ts";
import { callbackTokenField } from "#gateways/callback-token.ts";
import {
  base64Attachments,
  defineHttpMail,
  type EmailMessage,
  encodedName,
  jsonRequest,
  recipientsOf,
  senderOf,
} from "#gateways/email/http-mail.ts";
import { type EventReport, tokenProof } from "#gateways/email/mail-events.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { type Json, textAt } from "#gateways/json-path.ts";
import { bareMessageId, omitUndefined, reasonText } from "#gateways/vendor-event.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";

const settings = z.strictObject({
  ...emailFields,
  api_key: secret().describe("An API key of Brevo (v3)."),
  callback_token: callbackTokenField,
  base_url: baseUrlField().default("https://api.brevo.com/v3").describe("Brevo's API, for a test double."),
  timeout_ms: timeoutField,
});

type BrevoSettings = z.output<typeof settings>;

/** Brevo copies this header of the mail into its events. */
const messageIdHeader = "X-Mailin-custom";

export const brevo = defineHttpMail({
  kind: "brevo",
  title: "Brevo",
  summary: "Email through Brevo, with events that a token protects.",
  settings,
  // https://help.brevo.com/hc/en-us/articles/4402811730962
  maxMessageBytes: 20 * 1024 * 1024,
  // Its attachments have no content id (https://developers.brevo.com/reference/send-transac-email).
  inlineImages: false,
  severalReplyTo: false,
  url: (settings) => joinUrl(settings.base_url, "/smtp/email"),
  request: async (message, settings) =>
    jsonRequest({ "api-key": settings.api_key }, await bodyOf(message, settings)),
  answer: () => ({
    vendor: "Brevo",
    reference: (json) => bareMessageId(textAt(json, "$.messageId")),
    code: brevoCode,
    faultOf: ({ code, json }) => brevoFault(code, textAt(json, "$.message") ?? ""),
  }),
  // Transactional webhooks (https://developers.brevo.com/docs/transactional-webhooks): JSON, one event a call or, batched, up
  // to 500 in a list. They are not signed; Brevo sends our token
  // (https://developers.brevo.com/docs/username-and-password-authentication).
  events: {
    proof: tokenProof,
    lists: "sometimes",
    type: "$.event",
    reference: (event) => bareMessageId(textAt(event, "$.message-id")),
    id: `$.${messageIdHeader}`,
    at: timeOf,
    reason: "$.reason",
    recipient: "$.email",
    // `sending_ip` is Brevo's own.
    client: { url: "$.link", userAgent: "$.user_agent", ip: "$.ip" },
    // `request` and `sent` say no more than the answer to the request did.
    words: {
      delivered: { status: "delivered" },
      hard_bounce: (event) => undelivered(event, { status: "bounced", code: "hard_bounce", bounce: "hard" }),
      soft_bounce: (event) => undelivered(event, { status: "bounced", code: "soft_bounce", bounce: "soft" }),
      // Not sent: a recipient on the block list, an address or sender that Brevo considers invalid, an error inside Brevo.
      blocked: (event) => undelivered(event, { status: "failed", code: "blocked" }),
      invalid_email: (event) => undelivered(event, { status: "failed", code: "invalid_email" }),
      error: (event) => undelivered(event, { status: "failed", code: "error" }),
      deferred: { kind: "deferred" },
      spam: { kind: "complained" },
      complaint: { kind: "complained" },
      unsubscribed: { kind: "unsubscribed" },
      unsubscribe: { kind: "unsubscribed" },
      unique_opened: { kind: "opened" },
      opened: { kind: "opened" },
      unique_proxy_open: { kind: "opened", machine: true },
      proxy_open: { kind: "opened", machine: true },
      click: { kind: "clicked" },
    },
  },
});

/** Brevo derives an attachment's type from its name. */
async function bodyOf(message: EmailMessage, settings: BrevoSettings): Promise<object> {
  const { content: email } = message;
  const { to, cc, bcc } = recipientsOf(message);
  const attachments = await base64Attachments(email);
  return {
    sender: mailbox(senderOf(email, settings)),
    to: to.map(mailbox),
    cc: cc.length === 0 ? undefined : cc.map(mailbox),
    bcc: bcc.length === 0 ? undefined : bcc.map(mailbox),
    subject: email.subject,
    textContent: email.text,
    htmlContent: email.html ?? undefined,
    replyTo: email.replyTo[0] && mailbox(email.replyTo[0]),
    headers: {
      ...Object.fromEntries(email.headers),
      [messageIdHeader]: message.id,
      idempotencyKey: idempotencyKeyOf(message.id),
    },
    tags: email.tags,
    attachment:
      attachments.length === 0
        ? undefined
        : attachments.map(({ filename, base64 }) => ({ name: filename, content: base64 })),
  };
}

const mailbox = ({ address, name }: Mailbox) => ({
  email: address,
  name: name === null ? undefined : safeName(name),
});

/** Brevo drops a name with both a special character of RFC 5322 and a letter beyond ASCII, unless it is already encoded. */
function safeName(name: string): string {
  return /[^\u0020-\u007e]/.test(name) && /[()<>[\]:;@\\,."]/.test(name) ? encodedName(name) : name;
}

/** Brevo requires a UUID; this one (version 8 of RFC 9562) is the same at every attempt. */
function idempotencyKeyOf(id: string): string {
  const hex = createHash("sha256").update(id).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4]!;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}

/**
 * Error codes (https://developers.brevo.com/docs/how-it-works, and the error model of Brevo's clients). Most come with
 * status 400, so the status says little.
 */
const faults = new Map<string, Fault>([
  ["invalid_parameter", "unclear"],
  ["missing_parameter", "unclear"],
  ["out_of_range", "unclear"],
  ["bad_request", "unclear"],
  ["unprocessable_entity", "unclear"],
  ["unauthorized", "configuration"], // a wrong key, or an address of ours that is not allowed to use it
  ["permission_denied", "configuration"],
  ["reseller_permission_denied", "configuration"],
  ["not_enough_credits", "configuration"],
  ["account_under_validation", "configuration"],
  ["document_not_found", "configuration"],
  ["method_not_allowed", "configuration"],
  ["not_acceptable", "configuration"],
  ["too_many_requests", "transient"],
  // A request with this idempotency key was made before. The answer does not say whether its mail was sent.
  ["duplicate_parameter", "ambiguous"],
  ["duplicate_request", "ambiguous"],
]);

export function brevoCode(json: Json): string | null {
  return textAt(json, "$.code");
}

/** Undefined for a code that is not listed. `message`: Brevo's explanation. */
export function brevoFault(code: string, message: string): Fault | undefined {
  // The sender's address is a setting: not verified, not active, not allowed.
  if (code === "invalid_parameter" && /\bsender\b/i.test(message)) return "configuration";
  return faults.get(code);
}

/** `ts_epoch` is the only time in UTC: in milliseconds, but in seconds in some of Brevo's examples. */
function timeOf(event: Json): number | undefined {
  const text = textAt(event, "$.ts_epoch");
  if (text === null || !/^\d{9,14}$/.test(text)) return undefined;
  return text.length <= 11 ? Number(text) * 1000 : Number(text);
}

function undelivered(event: Json, report: EventReport): EventReport {
  return omitUndefined<EventReport>({ ...report, reason: reasonText(textAt(event, "$.reason")) });
}

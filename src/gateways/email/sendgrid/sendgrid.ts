// Twilio SendGrid: mail/send of the Web API v3 (https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send)
// and its signed Event Webhook. SendGrid has no idempotency key: a mail that may have been sent stays `unknown` until the
// `processed` event, which carries our id, settles it.

import { z } from "zod";
import type { Engagement, Receipt, Received } from "#gateways/callback.ts";
import {
  base64Attachments,
  defineHttpMail,
  type EmailMessage,
  jsonRequest,
  messageIdTag,
  senderOf,
} from "#gateways/email/http-mail.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { type Json, parseJson, textAt } from "#gateways/json-path.ts";
import {
  clientInfo,
  type EventIds,
  eventIds,
  eventTime,
  isFresh,
  omitUndefined,
  reasonText,
} from "#gateways/vendor-event.ts";
import type { Answer, Fault } from "#gateways/vendor-outcome.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";
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
  base_url: baseUrlField()
    .default("https://api.sendgrid.com")
    .describe("SendGrid's API: https://api.eu.sendgrid.com for the EU, or a test double."),
  timeout_ms: timeoutField,
});

type SendGridSettings = z.output<typeof settings>;

export const sendgrid = defineHttpMail({
  kind: "sendgrid",
  title: "SendGrid",
  summary: "Email through Twilio SendGrid, with signed events.",
  settings,
  // Of the whole request.
  maxMessageBytes: 30 * 1024 * 1024,
  url: (settings) => joinUrl(settings.base_url, "/v3/mail/send"),
  request: async (message, settings) =>
    jsonRequest({ authorization: `Bearer ${settings.api_key}` }, await bodyOf(message, settings)),
  answer: () => ({
    vendor: "SendGrid",
    // Only 202 means that the mail is queued; 200 is SendGrid's sandbox mode.
    reference: (_json, { status, headers }) => (status === 202 ? (headers["x-message-id"] ?? null) : null),
    // SendGrid has no error codes: the status decides, and for a 400 the field that is wrong.
    code: (json, { status }) => (status === 400 ? textAt(json, "$.errors[0].field") : null),
    faultOf: ({ code }) => faultOfField(code),
    retryAfter: secondsToReset,
  }),
  receive(callback, settings, { clock }): Received {
    const key = verificationKey(settings.webhook_public_key ?? "");
    if (key === null) return { kind: "not_configured", reason: "The gateway has no verification key." };
    const at = signedAt(callback, key);
    if (at === null) return { kind: "forbidden", reason: "The signature does not fit." };
    if (!isFresh(at, clock.now())) return { kind: "forbidden", reason: "The callback is too old." };
    return readEvents(callback.body);
  },
});

/** SendGrid sets the return path itself. */
async function bodyOf(
  { id, recipient, content: email }: EmailMessage,
  settings: SendGridSettings,
): Promise<object> {
  const { address, name } = senderOf(email, settings);
  const attachments = await base64Attachments(email);
  const off = { enable: false };
  return {
    personalizations: [{ to: [{ email: recipient }], custom_args: { [messageIdTag]: id } }],
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
    ...(settings.provider_tracking
      ? {}
      : { tracking_settings: { click_tracking: off, open_tracking: off, subscription_tracking: off } }),
  };
}

/** The gateway's own address is wrong for every mail, and a recipient for one. Other fields may be of either kind. */
function faultOfField(field: string): Fault | undefined {
  if (/^from(?:\.|$)/.test(field)) return "configuration";
  return /^personalizations\.\d+\.to(?:\.|$)/.test(field) ? "permanent" : undefined;
}

/** `X-RateLimit-Reset` of a 429, in epoch seconds, as seconds from now. */
function secondsToReset({ headers }: Answer, now: number): string | undefined {
  const reset = headers["x-ratelimit-reset"] ?? "";
  if (!/^\d{9,11}$/.test(reset)) return undefined;
  return String(Math.max(0, Number(reset) - Math.floor(now / 1000)));
}

/**
 * Events (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event): a list of them in each call, about
 * different mails. Those that identify no mail, or change nothing, are ignored.
 */
export function readEvents(body: Buffer): Received {
  const events = parseJson(body);
  if (!Array.isArray(events)) return { kind: "malformed", reason: "The callback is no list of events." };
  const receipts: Receipt[] = [];
  const engagements: Engagement[] = [];
  for (const event of events) {
    const ids = idsOf(event);
    if (ids === null) continue;
    const receipt = receiptOf(event);
    const engagement = engagementOf(event);
    if (receipt !== null) receipts.push({ ...receipt, ...ids });
    if (engagement !== null) engagements.push({ ...engagement, ...ids });
  }
  return { kind: "received", receipts, inbound: [], engagements };
}

/** Custom arguments, and so our id, are among an event's own fields. */
function idsOf(event: Json): EventIds | null {
  const reference = referenceOf(textAt(event, "$.sg_message_id"));
  const at = eventTime(textAt(event, "$.timestamp"));
  return eventIds(reference, textAt(event, `$.${messageIdTag}`), at);
}

/**
 * The `X-Message-Id` of the answer to the send call. Events append the servers that the mail went through
 * (`{id}.filter0425p1mdw1.13037.57168B4A1D.0`, `{id}.recvd-…`). Some events of dropped mails lack the id in front.
 */
function referenceOf(text: string | null): string | null {
  const [, id = ""] = /^(.{1,200}?)(?:\.(?:filter|recvd).*)?$/s.exec(text ?? "") ?? [];
  return /^[\w.-]+$/.test(id) && !/^(?:filter|recvd)/.test(id) ? id : null;
}

type Report = Omit<Receipt, "reference">;

function receiptOf(event: Json): Report | null {
  switch (textAt(event, "$.event")) {
    case "processed":
      return { status: "sent" };
    case "delivered":
      return { status: "delivered" };
    case "bounce":
      return bounceOf(event);
    case "dropped":
      return dropOf(event);
    default:
      return null;
  }
}

/**
 * `type` is `bounce` for a permanent failure (unless its status is a passing 4.x.x) and `expired` for a temporary one;
 * `blocked` is about the sender or the content, and says nothing about the address.
 */
function bounceOf(event: Json): Report {
  const status = textAt(event, "$.status") ?? "";
  const code = /^[245]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : undefined;
  const type = textAt(event, "$.type");
  const isPermanent = type === "bounce" && !code?.startsWith("4");
  return omitUndefined<Report>({
    status: "bounced",
    bounce: type === "blocked" ? undefined : isPermanent ? "hard" : "soft",
    code,
    reason: reasonText(textAt(event, "$.reason")) ?? reasonText(textAt(event, "$.bounce_classification")),
  });
}

/** SendGrid did not send the mail at all. Only these two of its reasons mean that the address takes no mail. */
function dropOf(event: Json): Report {
  const cause = reasonText(textAt(event, "$.reason"));
  const reason = `SendGrid did not send the mail: ${cause ?? "no reason given"}.`;
  return cause === "Bounced Address" || cause === "Invalid"
    ? { status: "bounced", bounce: "hard", code: "dropped", reason }
    : { status: "failed", code: "dropped", reason };
}

const kinds = new Map<string, Engagement["kind"]>([
  ["open", "opened"],
  ["click", "clicked"],
  ["spamreport", "complained"],
  ["unsubscribe", "unsubscribed"],
  ["group_unsubscribe", "unsubscribed"],
  ["deferred", "deferred"],
]);

function engagementOf(event: Json): Omit<Engagement, "reference"> | null {
  const field = (name: string) => textAt(event, `$.${name}`);
  const kind = kinds.get(field("event") ?? "");
  if (kind === undefined) return null;
  const key = field("sg_event_id") ?? "";
  const client = { url: field("url"), userAgent: field("useragent"), ip: field("ip") };
  return omitUndefined<Omit<Engagement, "reference">>({
    kind,
    key: key === "" || key.length > 255 ? undefined : key,
    reason: kind === "deferred" ? reasonText(field("response") ?? field("reason")) : undefined,
    // Apple's Mail Privacy Protection loads every pixel.
    machine: (kind === "opened" && field("sg_machine_open") === "true") || undefined,
    ...(kind === "opened"
      ? clientInfo({ ...client, url: null })
      : kind === "clicked"
        ? clientInfo(client)
        : {}),
  });
}

// Twilio SendGrid: mail/send of the Web API v3 (https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send)
// and its signed Event Webhook. SendGrid has no idempotency key: a mail that may have been sent stays `unknown` until the
// `processed` event, which carries our id, settles it.

import { z } from "zod";
import type { Mailbox } from "#contract/mailbox.ts";
import {
  base64Attachments,
  defineHttpMail,
  type EmailMessage,
  jsonRequest,
  messageIdTag,
  recipientsOf,
  senderOf,
} from "#gateways/email/http-mail.ts";
import type { EventReport, MailEvents } from "#gateways/email/mail-events.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { type Json, textAt } from "#gateways/json-path.ts";
import { isFresh, omitUndefined, reasonText } from "#gateways/vendor-event.ts";
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

/**
 * Events (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event): a list of them in each call, about
 * different mails.
 */
export const sendgridEvents: MailEvents<SendGridSettings> = {
  proof(callback, { webhook_public_key = "" }, { clock }) {
    const key = verificationKey(webhook_public_key);
    if (key === null) return { kind: "not_configured", reason: "The gateway has no verification key." };
    const at = signedAt(callback, key);
    if (at === null) return { kind: "forbidden", reason: "The signature does not fit." };
    return isFresh(at, clock.now())
      ? { kind: "verified" }
      : { kind: "forbidden", reason: "The callback is too old." };
  },
  lists: "always",
  type: "$.event",
  reference: referenceOf,
  // Custom arguments, and so our id, are among an event's own fields.
  id: `$.${messageIdTag}`,
  at: ["$.timestamp"],
  key: keyOf,
  recipient: "$.email",
  client: { url: "$.url", userAgent: "$.useragent", ip: "$.ip" },
  words: {
    processed: { status: "sent" },
    delivered: { status: "delivered" },
    bounce: bounceOf,
    dropped: dropOf,
    // Apple's Mail Privacy Protection loads every pixel.
    open: (event) => ({
      kind: "opened",
      ...(textAt(event, "$.sg_machine_open") === "true" && { machine: true }),
    }),
    click: { kind: "clicked" },
    spamreport: { kind: "complained" },
    unsubscribe: { kind: "unsubscribed" },
    group_unsubscribe: { kind: "unsubscribed" },
    deferred: (event) => {
      const reason = reasonText(textAt(event, "$.response") ?? textAt(event, "$.reason"));
      return omitUndefined<EventReport>({ kind: "deferred", reason });
    },
  },
};

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
  events: sendgridEvents,
});

/** SendGrid sets the return path itself. */
async function bodyOf(message: EmailMessage, settings: SendGridSettings): Promise<object> {
  const { id, content: email } = message;
  const { to, cc, bcc } = recipientsOf(message);
  const attachments = await base64Attachments(email);
  const off = { enable: false };
  return {
    personalizations: [
      {
        to: to.map(mailbox),
        ...(cc.length === 0 ? {} : { cc: cc.map(mailbox) }),
        ...(bcc.length === 0 ? {} : { bcc: bcc.map(mailbox) }),
        custom_args: { [messageIdTag]: id },
      },
    ],
    ...(email.tags === undefined ? {} : { categories: email.tags }),
    from: mailbox(senderOf(email, settings)),
    ...replyToOf(email.replyTo),
    subject: email.subject,
    // Text must come first, and no part may be empty.
    content: [
      ...(email.text === "" && email.html !== null ? [] : [{ type: "text/plain", value: email.text || " " }]),
      ...(email.html === null ? [] : [{ type: "text/html", value: email.html }]),
    ],
    ...(email.headers.length === 0 ? {} : { headers: Object.fromEntries(email.headers) }),
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ filename, contentType, base64, contentId }) => ({
            content: base64,
            filename,
            type: contentType,
            ...(contentId === undefined
              ? { disposition: "attachment" }
              : { disposition: "inline", content_id: contentId }),
          })),
        }),
    ...(settings.provider_tracking
      ? {}
      : { tracking_settings: { click_tracking: off, open_tracking: off, subscription_tracking: off } }),
  };
}

/** `reply_to_list` takes the place of `reply_to`, and has to have several. */
function replyToOf([first, ...others]: readonly Mailbox[]) {
  if (first === undefined) return {};
  return others.length === 0
    ? { reply_to: mailbox(first) }
    : { reply_to_list: [first, ...others].map(mailbox) };
}

const mailbox = ({ address, name }: Mailbox) => ({ email: address, ...(name === null ? {} : { name }) });

/** The gateway's own address is wrong for every mail, a recipient only for one. Other fields may be either. */
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
 * The `X-Message-Id` of the answer to the send call. Events append the servers that the mail passed
 * (`{id}.filter0425p1mdw1.13037.57168B4A1D.0`, `{id}.recvd-…`). Some events of dropped mails lack the id in front.
 */
function referenceOf(event: Json): string | null {
  const text = textAt(event, "$.sg_message_id") ?? "";
  const [, id = ""] = /^(.{1,200}?)(?:\.(?:filter|recvd).*)?$/s.exec(text) ?? [];
  return /^[\w.-]+$/.test(id) && !/^(?:filter|recvd)/.test(id) ? id : null;
}

function keyOf(event: Json): string | undefined {
  const key = textAt(event, "$.sg_event_id") ?? "";
  return key === "" || key.length > 255 ? undefined : key;
}

/**
 * `type` is `bounce` for a permanent failure (unless its status is a passing 4.x.x) and `expired` for a temporary one;
 * `blocked` is about the sender or the content, and says nothing about the address.
 */
function bounceOf(event: Json): EventReport {
  const status = textAt(event, "$.status") ?? "";
  const code = /^[245]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : undefined;
  const type = textAt(event, "$.type");
  const isPermanent = type === "bounce" && !code?.startsWith("4");
  return omitUndefined<EventReport>({
    status: "bounced",
    bounce: type === "blocked" ? undefined : isPermanent ? "hard" : "soft",
    code,
    reason: reasonText(textAt(event, "$.reason")) ?? reasonText(textAt(event, "$.bounce_classification")),
  });
}

/** SendGrid did not send the mail at all. Only these two of its reasons mean that the address does not accept mail. */
function dropOf(event: Json): EventReport {
  const cause = reasonText(textAt(event, "$.reason"));
  const reason = `SendGrid did not send the mail: ${cause ?? "no reason given"}.`;
  return cause === "Bounced Address" || cause === "Invalid"
    ? { status: "bounced", bounce: "hard", code: "dropped", reason }
    : { status: "failed", code: "dropped", reason };
}

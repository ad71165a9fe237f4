// Postmark (https://postmarkapp.com/developer/api/email-api#send-a-single-email), with its own tracking off. It has no
// idempotency key: a mail that may have been sent stays `unknown` until the webhook, which carries our id, settles it.

import { z } from "zod";
import type { Engagement } from "#gateways/callback.ts";
import { callbackTokenField } from "#gateways/callback-token.ts";
import {
  base64Attachments,
  defineHttpMail,
  type EmailMessage,
  jsonRequest,
  mailboxText,
  messageIdTag,
  recipientsOf,
  senderOf,
} from "#gateways/email/http-mail.ts";
import { type EventReport, tokenProof } from "#gateways/email/mail-events.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { type Json, textAt } from "#gateways/json-path.ts";
import { eventKey, omitUndefined, reasonText } from "#gateways/vendor-event.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";

const settings = z.strictObject({
  ...emailFields,
  server_token: secret().describe("The API token of the Postmark server, not of the account."),
  message_stream: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,29}$/, "Must be the id of a message stream, such as outbound.")
    .default("outbound")
    .describe("The message stream that carries the mails: a transactional or a broadcast one."),
  callback_token: callbackTokenField,
  base_url: baseUrlField()
    .default("https://api.postmarkapp.com")
    .describe("Postmark's API, for a test double."),
  timeout_ms: timeoutField,
});

type PostmarkSettings = z.output<typeof settings>;

export const postmark = defineHttpMail({
  kind: "postmark",
  title: "Postmark",
  summary: "Email through Postmark, with events that a token protects.",
  settings,
  // In base64 (https://postmarkapp.com/support/article/1056-what-are-the-attachment-and-email-size-limits).
  maxMessageBytes: 10 * 1024 * 1024,
  url: (settings) => joinUrl(settings.base_url, "/email"),
  request: async (message, settings) =>
    jsonRequest({ "x-postmark-server-token": settings.server_token }, await bodyOf(message, settings)),
  answer: () => ({
    vendor: "Postmark",
    // A 200 has the code 0; while Postmark is slow it has none ("delivery may be delayed").
    reference: (json) => (postmarkCode(json) === null ? textAt(json, "$.MessageID") : null),
    code: postmarkCode,
    faultOf: ({ code, json }) => postmarkFault(code, textAt(json, "$.Message") ?? ""),
    // A 503 with this code is the planned outage of the API, not a fault in between: nothing was accepted.
    notAcceptedStatuses: (json) => (postmarkCode(json) === "100" ? [503] : []),
  }),
  // Webhooks (https://postmarkapp.com/developer/webhooks/webhooks-overview): one JSON event a call. "Postmark does not
  // currently support HMAC webhook signature verification."
  events: {
    proof: tokenProof,
    type: "$.RecordType",
    reference: "$.MessageID",
    id: `$.Metadata.${messageIdTag}`,
    at: ["$.DeliveredAt", "$.BouncedAt", "$.ReceivedAt", "$.ChangedAt"],
    // Bounces and complaints have ids.
    key: (event) => eventKey(textAt(event, "$.ID")),
    reason: reasonOf,
    recipient: (event) => textAt(event, "$.Recipient") ?? textAt(event, "$.Email"),
    client: { url: "$.OriginalLink", userAgent: "$.UserAgent", ip: "$.Geo.IP" },
    words: {
      Delivery: { status: "delivered" },
      Bounce: bounceOf,
      SpamComplaint: { kind: "complained" },
      Open: { kind: "opened" },
      Click: { kind: "clicked" },
      // Suppressions caused by a bounce or a complaint have events of their own, and manual ones are not the recipient's.
      SubscriptionChange: (event) =>
        textAt(event, "$.SuppressSending") === "true" &&
        textAt(event, "$.SuppressionReason") === "ManualSuppression" &&
        textAt(event, "$.Origin") === "Recipient"
          ? { kind: "unsubscribed" }
          : null,
    },
  },
});

/** `Metadata` names may have 20 characters and values 80. */
async function bodyOf(message: EmailMessage, settings: PostmarkSettings): Promise<object> {
  const { content: email } = message;
  const { to, cc, bcc } = recipientsOf(message);
  const attachments = await base64Attachments(email);
  return {
    From: mailboxText(senderOf(email, settings)),
    To: to.map(mailboxText).join(", "),
    Cc: cc.length === 0 ? undefined : cc.map(mailboxText).join(", "),
    Bcc: bcc.length === 0 ? undefined : bcc.map(mailboxText).join(", "),
    Subject: email.subject,
    TextBody: email.text,
    HtmlBody: email.html ?? undefined,
    ReplyTo: email.replyTo.map(mailboxText).join(", ") || undefined,
    Headers: email.headers.map(([name, value]) => ({ Name: name, Value: value })),
    Attachments: attachments.map(({ filename, contentType, base64, contentId }) => ({
      Name: filename,
      Content: base64,
      ContentType: contentType,
      ContentID: contentId === undefined ? undefined : `cid:${contentId}`,
    })),
    // Postmark has one tag a mail.
    Tag: email.tags?.[0],
    Metadata: { [messageIdTag]: message.id },
    MessageStream: settings.message_stream,
    TrackOpens: false,
    TrackLinks: "None",
  };
}

/**
 * Error codes (https://postmarkapp.com/developer/api/overview#error-codes). They are in the body and resemble HTTP
 * statuses without being any: code 401 with status 422 is an unconfirmed sender.
 */
const faults = new Map<string, Fault>([
  ["10", "configuration"], // bad or missing API token
  ["100", "configuration"], // offline for maintenance
  ["300", "unclear"], // invalid email request: one of its fields is not valid
  ["400", "configuration"], // no such sender signature
  ["401", "configuration"], // sender signature not confirmed
  ["402", "unclear"], // JSON that it cannot read
  ["403", "unclear"], // a field that it cannot read
  ["405", "configuration"], // out of credits
  ["406", "permanent"], // the recipient bounced or complained before, and is inactive
  ["409", "configuration"], // wrong content type: a proxy changed it
  ["411", "permanent"], // forbidden attachment type
  ["412", "configuration"], // account pending approval: only recipients of the sender's own domain
  ["413", "configuration"], // account may not send
  ["429", "transient"], // rate limit
  ["1226", "configuration"], // no message stream of this id
  ["1235", "configuration"], // no such message stream on this server
  ["1236", "configuration"], // the message stream does not send
]);

/** Postmark's code, as digits; null if the answer has none. */
export function postmarkCode(json: Json): string | null {
  const code = textAt(json, "$.ErrorCode");
  return code !== null && /^[1-9]\d{0,5}$/.test(code) ? code : null;
}

/** Undefined for a code that is not listed. `message`: Postmark's explanation. */
export function postmarkFault(code: string, message: string): Fault | undefined {
  // The sender's address is a setting, and Postmark quotes the field's name.
  if (code === "300" && /^(?:Invalid|Error parsing) 'From'/i.test(message)) return "configuration";
  return faults.get(code);
}

/**
 * Bounce types (https://postmarkapp.com/developer/api/bounce-api#bounce-types). `failed`: Postmark never sent the mail.
 * `bounced`: for a reason that is not the address's. `ignored`: an answer of the recipient's side to a mail that arrived.
 */
const bounceTypes = new Map<string, "hard" | "soft" | "bounced" | "failed" | "ignored" | Engagement["kind"]>([
  ["HardBounce", "hard"],
  ["BadEmailAddress", "hard"],
  ["SoftBounce", "soft"],
  ["Blocked", "bounced"], // by the provider, for its content or its sender
  ["DMARCPolicy", "bounced"],
  ["SpamNotification", "bounced"], // a filter called it spam, not the recipient
  ["VirusNotification", "bounced"],
  ["Unknown", "soft"],
  ["Transient", "deferred"],
  ["DnsError", "deferred"], // a temporary one
  ["ManuallyDeactivated", "failed"],
  ["Unconfirmed", "failed"],
  ["SMTPApiError", "failed"],
  ["TemplateRenderingFailed", "failed"],
  ["SpamComplaint", "complained"],
  ["Unsubscribe", "unsubscribed"],
  ["AutoResponder", "ignored"],
  ["AddressChange", "ignored"],
  ["ChallengeVerification", "ignored"],
  ["OpenRelayTest", "ignored"],
  ["Subscribe", "ignored"],
  ["InboundError", "ignored"],
]);

/** An unknown type is hard if Postmark deactivated the address because of it. */
function bounceOf(event: Json): EventReport | null {
  const type = textAt(event, "$.Type") ?? "";
  const meaning = bounceTypes.get(type) ?? (textAt(event, "$.Inactive") === "true" ? "hard" : "soft");
  const code = /^\w{1,64}$/.test(type) ? type : undefined;
  const reason = reasonText(reasonOf(event));
  switch (meaning) {
    case "hard":
    case "soft":
      return omitUndefined<EventReport>({ status: "bounced", code, reason, bounce: meaning });
    case "bounced":
    case "failed":
      return omitUndefined<EventReport>({ status: meaning, code, reason });
    case "ignored":
      return null;
    default:
      return { kind: meaning };
  }
}

/** The receiving server's words say more than Postmark's description of the type. */
function reasonOf(event: Json): string | null {
  return reasonText(textAt(event, "$.Details")) ?? textAt(event, "$.Description");
}

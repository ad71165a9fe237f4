// Mailgun (https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages): a multipart form, with
// Mailgun's own tracking off. It has no idempotency key: a mail that may have been sent stays `unknown` until the webhook,
// which carries our id, settles it.

import { createHmac } from "node:crypto";
import { z } from "zod";
import { bounceOf as bounceByStatus } from "#contract/messages/bounce-class.ts";
import type { Engagement } from "#gateways/callback.ts";
import {
  asciiMailboxText,
  defineHttpMail,
  type EmailMessage,
  mailboxText,
  messageIdTag,
  recipientsOf,
  senderOf,
} from "#gateways/email/http-mail.ts";
import type { EventReport } from "#gateways/email/mail-events.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { type Json, parseUnverified, textAt } from "#gateways/json-path.ts";
import { type FormFile, multipartForm } from "#gateways/multipart-form.ts";
import {
  bareMessageId,
  clientInfo,
  eventKey,
  eventTime,
  freshUntil,
  isFresh,
  omitUndefined,
  reasonText,
} from "#gateways/vendor-event.ts";
import type { Fault } from "#gateways/vendor-outcome.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";

const settings = z.strictObject({
  ...emailFields,
  domain: z
    .string()
    .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i, "Must be a domain, such as mg.example.com.")
    .describe("The sending domain as set up at Mailgun."),
  api_key: secret().describe("An API key of Mailgun, or a sending key of the domain."),
  webhook_signing_key: secret()
    .optional()
    .describe("Mailgun's HTTP webhook signing key: checks callbacks. Without it they are refused."),
  region: z.enum(["us", "eu"]).default("us").describe("Where Mailgun keeps the domain."),
  base_url: baseUrlField().optional().describe("Mailgun's API, for a test double; overrides the region."),
  timeout_ms: timeoutField,
});

type MailgunSettings = z.output<typeof settings>;

const hosts = { us: "https://api.mailgun.net", eu: "https://api.eu.mailgun.net" } as const;

export const mailgun = defineHttpMail({
  kind: "mailgun",
  title: "Mailgun",
  summary: "Email through Mailgun, in its US or EU region, with signed events.",
  settings,
  maxMessageBytes: 25 * 1024 * 1024,
  url: ({ base_url, region, domain }) => joinUrl(base_url ?? hosts[region], `/v3/${domain}/messages`),
  encodedSecrets: (settings) => [basicCredentials(settings)],
  request: async (message, settings) => {
    const { contentType, body } = await formOf(message, settings);
    const authorization = `Basic ${basicCredentials(settings)}`;
    return { headers: { authorization, "content-type": contentType, accept: "application/json" }, body };
  },
  answer: () => ({
    vendor: "Mailgun",
    reference: (json) => bareMessageId(textAt(json, "$.id")),
    code: mailgunCode,
    faultOf: ({ code }) => mailgunFault(code),
  }),
  // Webhooks (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads): one signed JSON event a call.
  events: {
    proof: ({ body }, { webhook_signing_key }, { clock }) =>
      signatureProof(body, webhook_signing_key, clock.now()),
    event: "$.event-data",
    type: "$.event",
    reference: (event) => bareMessageId(textAt(event, "$.message.headers.message-id")),
    recipient: "$.recipient",
    id: `$.user-variables.${messageIdTag}`,
    at: ["$.timestamp"],
    // Unique within a day according to Mailgun: enough among the events of one mail.
    key: (event) => eventKey(textAt(event, "$.id")),
    words: {
      delivered: { status: "delivered" },
      failed: failureOf,
      rejected: (event) => ({
        status: "failed",
        code: "rejected",
        reason: reasonText(textAt(event, "$.reject.reason")) ?? "Mailgun refused to send it.",
      }),
      opened: (event) => ({ kind: "opened", ...visitorOf(event) }),
      clicked: (event) => ({ kind: "clicked", ...visitorOf(event, textAt(event, "$.url")) }),
      unsubscribed: (event) => ({ kind: "unsubscribed", ...visitorOf(event) }),
      complained: { kind: "complained" },
    },
  },
});

function basicCredentials({ api_key }: MailgunSettings): string {
  return Buffer.from(`api:${api_key}`).toString("base64");
}

/** Attachments are sent in binary: base64 would make them a third longer. */
async function formOf(message: EmailMessage, settings: MailgunSettings) {
  const { id, content: email } = message;
  const { to, cc, bcc } = recipientsOf(message);
  const fields: [string, string][] = [
    ["from", mailboxText(senderOf(email, settings))],
    ["to", to.map(mailboxText).join(", ")],
    ["subject", email.subject],
    ["text", email.text],
  ];
  if (cc.length > 0) fields.push(["cc", cc.map(mailboxText).join(", ")]);
  if (bcc.length > 0) fields.push(["bcc", bcc.map(mailboxText).join(", ")]);
  if (email.html !== null) fields.push(["html", email.html]);
  if (email.replyTo.length > 0) fields.push(["h:Reply-To", email.replyTo.map(asciiMailboxText).join(", ")]);
  for (const [name, value] of email.headers) fields.push([`h:${name}`, value]);
  fields.push([`v:${messageIdTag}`, id]);
  for (const tag of email.tags ?? []) fields.push(["o:tag", tag]);
  for (const option of ["tracking", "tracking-clicks", "tracking-opens"]) fields.push([`o:${option}`, "no"]);
  const files: FormFile[] = [];
  for (const { filename: name, contentType, sha256, content, contentId } of email.attachments) {
    // The name of an inline file is its content id at Mailgun.
    const place =
      contentId === undefined
        ? { name: "attachment", filename: name }
        : { name: "inline", filename: contentId };
    files.push({ ...place, contentType, sha256, content: await content() });
  }
  return multipartForm(
    fields.map(([name, value]) => ({ name, value })),
    files,
  );
}

interface KnownRefusal {
  message: RegExp;
  /** Our own: Mailgun has no error codes. */
  code: string;
  fault: Fault;
}

/**
 * Refusals, which are sentences with a 4xx (https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses).
 * The first match counts. For all others the status decides.
 */
const refusals: readonly KnownRefusal[] = [
  // With 403, older ones with 400: "Domain … is not allowed to send: …" for a sandbox domain, or an account that is not
  // activated, disabled or over its limit. It holds for every recipient.
  { message: /is not allowed to send/i, code: "domain_not_allowed", fault: "configuration" },
  {
    message: /sandbox subdomains are for test purposes/i,
    code: "domain_not_allowed",
    fault: "configuration",
  },
  { message: /domain not found/i, code: "domain_not_found", fault: "configuration" },
  // The sender's address is a setting.
  { message: /^'?from'? parameter is /i, code: "invalid_sender", fault: "configuration" },
  { message: /^'?to'? parameter is not a valid address/i, code: "invalid_recipient", fault: "permanent" },
  { message: /limited to 16 ?kB/i, code: "headers_too_large", fault: "permanent" },
  { message: /need at least one of/i, code: "no_body", fault: "permanent" },
];

/** Our code for a refusal; null for an unknown sentence. */
export function mailgunCode(json: Json): string | null {
  const text = textAt(json, "$.message") ?? "";
  return refusals.find(({ message }) => message.test(text))?.code ?? null;
}

export function mailgunFault(code: string): Fault | undefined {
  return refusals.find((refusal) => refusal.code === code)?.fault;
}

/**
 * The signature is in the body and covers a time and a token, not the event itself: someone who saw a token could send it again with
 * another event, so each is accepted for only one event
 * (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks). `now`: epoch ms.
 */
function signatureProof(body: Buffer, key: string | undefined, now: number) {
  if (key === undefined || key === "")
    return { kind: "not_configured", reason: "The gateway has no webhook signing key." } as const;
  const signature = verifiedSignature(body, key);
  if (signature === null) return { kind: "forbidden", reason: "The signature is missing or wrong." } as const;
  const signedAt = eventTime(signature.timestamp);
  if (signedAt === undefined || !isFresh(signedAt, now))
    return { kind: "forbidden", reason: "The signature is too old." } as const;
  return { kind: "verified", replayGuard: { proof: signature.hex, until: freshUntil(signedAt) } } as const;
}

/** The signature of a call: the hex of HMAC-SHA256 over a time and a token. Null if it was not made with this key. */
function verifiedSignature(body: Buffer, key: string): { timestamp: string; hex: string } | null {
  const document = parseUnverified(body) ?? null;
  const [timestamp, token, signature] = ["timestamp", "token", "signature"].map(
    (name) => textAt(document, `$.signature.${name}`) ?? "",
  );
  if (!timestamp || !token || !signature) return null;
  const expected = createHmac("sha256", key).update(timestamp).update(token).digest("hex");
  return constantTimeEqual(signature, expected) ? { timestamp, hex: expected } : null;
}

/** Who opened, clicked or unsubscribed. */
function visitorOf(event: Json, url: string | null = null): Partial<Engagement> {
  return omitUndefined<Partial<Engagement>>({
    ...clientInfo({
      url,
      userAgent: textAt(event, "$.client-info.user-agent"),
      ip: textAt(event, "$.ip"),
    }),
    // `apple`, `gmail` or `generic`; empty for a person.
    machine: (textAt(event, "$.client-info.bot") ?? "") === "" ? undefined : true,
  });
}

/** `temporary`: Mailgun keeps trying. Suppressed mails were never sent; the receiving server refused the others. */
function failureOf(event: Json): EventReport {
  const cause = textAt(event, "$.reason") ?? "";
  const text =
    reasonText(textAt(event, "$.delivery-status.description")) ??
    reasonText(textAt(event, "$.delivery-status.message"));
  if (textAt(event, "$.severity") === "temporary")
    return omitUndefined<EventReport>({ kind: "deferred", reason: text });
  const code = /^[\w-]{1,64}$/.test(cause) ? cause : undefined;
  if (cause.startsWith("suppress-")) {
    const reason = text ?? "The address is on Mailgun's suppression list.";
    return omitUndefined<EventReport>({ status: "failed", code, reason });
  }
  const bounce = bounceOf(event, cause);
  return omitUndefined<EventReport>({ status: "bounced", code, reason: text, bounce });
}

/**
 * Undefined if the address is not at fault: policy and content by the enhanced code (RFC 3463), `espblock`. Newer events
 * carry the type. In older ones `bounce` is the receiving server's answer: hard unless its code is about the mailbox's
 * state or the network. `old` and `generic` may pass.
 */
function bounceOf(event: Json, cause: string): "hard" | "soft" | undefined {
  const enhanced =
    textAt(event, "$.delivery-status.enhanced-code") ??
    /^\d\.\d{1,3}\.\d{1,3}/.exec(textAt(event, "$.delivery-status.message") ?? "")?.[0] ??
    "";
  if (cause === "espblock" || (enhanced !== "" && bounceByStatus(enhanced, "") === null)) return undefined;
  const type = textAt(event, "$.delivery-status.bounce-type");
  if (type === "hard" || type === "soft") return type;
  if (/^4|^5\.[234]\./.test(enhanced)) return "soft";
  return cause === "bounce" || cause === "hardfail" ? "hard" : "soft";
}

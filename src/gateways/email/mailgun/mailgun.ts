// Mailgun (https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages): a multipart form, with
// Mailgun's own tracking off. It has no idempotency key: a mail that may have been sent stays `unknown` until the webhook,
// which carries our id, settles it.

import { createHmac } from "node:crypto";
import { z } from "zod";
import { bounceOf as bounceByStatus } from "#contract/messages/bounce-class.ts";
import type { CallbackRequest, Engagement, Receipt, Received } from "#gateways/callback.ts";
import {
  defineHttpMail,
  type EmailMessage,
  mailboxText,
  messageIdTag,
  senderOf,
} from "#gateways/email/http-mail.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { timeoutField } from "#gateways/http-settings.ts";
import { type Json, parseJson, parseUnverified, readPath, textAt } from "#gateways/json-path.ts";
import { type FormFile, multipartForm } from "#gateways/multipart-form.ts";
import {
  bareMessageId,
  clientInfo,
  type EventIds,
  eventIds,
  eventKey,
  eventTime,
  freshUntil,
  isFresh,
  omitUndefined,
  reasonText,
  receivedReports,
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
    .describe("The sending domain, as it is set up with Mailgun."),
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
  receive: (callback, settings, { clock }) =>
    readCallback(callback, settings.webhook_signing_key, clock.now()),
});

function basicCredentials({ api_key }: MailgunSettings): string {
  return Buffer.from(`api:${api_key}`).toString("base64");
}

/** Attachments are sent in binary: base64 would make them a third longer. */
async function formOf({ id, recipient, content: email }: EmailMessage, settings: MailgunSettings) {
  const fields: [string, string][] = [
    ["from", mailboxText(senderOf(email, settings))],
    ["to", recipient],
    ["subject", email.subject],
    ["text", email.text],
  ];
  if (email.html !== null) fields.push(["html", email.html]);
  if (email.replyTo !== null) fields.push(["h:Reply-To", email.replyTo]);
  for (const [name, value] of email.headers) fields.push([`h:${name}`, value]);
  fields.push([`v:${messageIdTag}`, id]);
  for (const option of ["tracking", "tracking-clicks", "tracking-opens"]) fields.push([`o:${option}`, "no"]);
  const files: FormFile[] = [];
  for (const { filename, contentType, sha256, content } of email.attachments) {
    files.push({ name: "attachment", filename, contentType, sha256, content: await content() });
  }
  return multipartForm(
    fields.map(([name, value]) => ({ name, value })),
    files,
  );
}

interface Refusal {
  message: RegExp;
  /** Our own: Mailgun has no error codes. */
  code: string;
  fault: Fault;
}

/**
 * Refusals, which are sentences with a 4xx (https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses).
 * The first match counts. For all others the status decides.
 */
const refusals: readonly Refusal[] = [
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
 * Webhooks (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads): one signed JSON event
 * a call. The signature is in the body and covers a time and a token, not the event itself: someone who saw a token could
 * send it again with another event, so each is good for one event
 * (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks). `now`: epoch ms.
 */
function readCallback({ body }: CallbackRequest, key: string | undefined, now: number): Received {
  if (key === undefined || key === "") {
    return { kind: "not_configured", reason: "The gateway has no webhook signing key." };
  }
  const signature = verifiedSignature(body, key);
  if (signature === null) return { kind: "forbidden", reason: "The signature is missing or wrong." };
  const signedAt = eventTime(signature.timestamp);
  if (signedAt === undefined || !isFresh(signedAt, now)) {
    return { kind: "forbidden", reason: "The signature is too old." };
  }
  const received = readEvent(body);
  const replayGuard = { proof: signature.hex, until: freshUntil(signedAt) };
  return received.kind === "received" || received.kind === "malformed"
    ? { ...received, replayGuard }
    : received;
}

function readEvent(body: Buffer): Received {
  const event = readPath(parseJson(body) ?? null, "$.event-data") ?? null;
  const type = textAt(event, "$.event");
  if (type === null) return { kind: "malformed", reason: "The callback has no event." };
  const reader = readers.get(type);
  if (reader === undefined) return receivedReports([]);
  const ids = eventIds(
    bareMessageId(textAt(event, "$.message.headers.message-id")),
    textAt(event, `$.user-variables.${messageIdTag}`),
    eventTime(textAt(event, "$.timestamp")),
  );
  if (ids === null) return { kind: "malformed", reason: "The event names no message." };
  return receivedReports([reader(event, ids)]);
}

/** The signature of a call: the hex of HMAC-SHA256 over a time and a token. Null: not made with this key. */
function verifiedSignature(body: Buffer, key: string): { timestamp: string; hex: string } | null {
  const document = parseUnverified(body) ?? null;
  const [timestamp, token, signature] = ["timestamp", "token", "signature"].map(
    (name) => textAt(document, `$.signature.${name}`) ?? "",
  );
  if (!timestamp || !token || !signature) return null;
  const expected = createHmac("sha256", key).update(timestamp).update(token).digest("hex");
  return constantTimeEqual(signature, expected) ? { timestamp, hex: expected } : null;
}

type Reader = (event: Json, ids: EventIds) => Receipt | Engagement;

const readers = new Map<string, Reader>([
  ["delivered", (_event, ids) => ({ status: "delivered", ...ids })],
  ["failed", failureOf],
  [
    "rejected",
    (event, ids) => {
      const reason = reasonText(textAt(event, "$.reject.reason")) ?? "Mailgun refused to send it.";
      return omitUndefined<Receipt>({ status: "failed", ...ids, code: "rejected", reason });
    },
  ],
  ["opened", (event, ids) => engagementOf("opened", event, ids)],
  ["clicked", (event, ids) => engagementOf("clicked", event, ids)],
  ["unsubscribed", (event, ids) => engagementOf("unsubscribed", event, ids)],
  [
    "complained",
    (event, ids) => omitUndefined<Engagement>({ kind: "complained", ...ids, key: keyOf(event) }),
  ],
]);

/** Unique within a day according to Mailgun: enough among the events of one mail. */
const keyOf = (event: Json) => eventKey(textAt(event, "$.id"));

function engagementOf(kind: Engagement["kind"], event: Json, ids: EventIds): Engagement {
  return omitUndefined<Engagement>({
    kind,
    ...ids,
    key: keyOf(event),
    ...clientInfo({
      url: kind === "clicked" ? textAt(event, "$.url") : null,
      userAgent: textAt(event, "$.client-info.user-agent"),
      ip: textAt(event, "$.ip"),
    }),
    // `apple`, `gmail` or `generic`; empty for a person.
    machine: (textAt(event, "$.client-info.bot") ?? "") === "" ? undefined : true,
  });
}

/** `temporary`: Mailgun goes on trying. Suppressed mails were never sent; the receiving server refused the others. */
function failureOf(event: Json, ids: EventIds): Receipt | Engagement {
  const cause = textAt(event, "$.reason") ?? "";
  const text =
    reasonText(textAt(event, "$.delivery-status.description")) ??
    reasonText(textAt(event, "$.delivery-status.message"));
  if (textAt(event, "$.severity") === "temporary") {
    return omitUndefined<Engagement>({ kind: "deferred", ...ids, key: keyOf(event), reason: text });
  }
  const code = /^[\w-]{1,64}$/.test(cause) ? cause : undefined;
  if (cause.startsWith("suppress-")) {
    const reason = text ?? "The address is on Mailgun's suppression list.";
    return omitUndefined<Receipt>({ status: "failed", ...ids, code, reason });
  }
  const bounce = bounceOf(event, cause);
  return omitUndefined<Receipt>({ status: "bounced", ...ids, code, reason: text, bounce });
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

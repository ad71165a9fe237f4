// Mailgun (https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages): a multipart form, with
// Mailgun's own tracking off. It has no idempotency key: what may have been sent stays `unknown`, and the webhook,
// which carries our id, settles it.

import { z } from "zod";
import { mailboxText, messageIdTag, senderOf } from "#gateways/email/http-mail.ts";
import { bareMessageId } from "#gateways/email/mail-event.ts";
import { emailFields } from "#gateways/email/settings.ts";
import { defineGateway, type OutgoingEmail, type OutgoingMessage, secret } from "#gateways/gateway.ts";
import { timeoutField } from "#gateways/http-outcome.ts";
import { textAt } from "#gateways/sms/http-api/json-path.ts";
import { vendorOutcome } from "#gateways/vendor-outcome.ts";
import { mailgunCode, mailgunFault } from "./errors.ts";
import { receiveMailgun } from "./events.ts";
import { type FormFile, multipartForm } from "./multipart-form.ts";

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
  base_url: z
    .string()
    .regex(/^https?:\/\/[^?#\s]+$/i, "Must be an http or https URL without a query.")
    .optional()
    .describe("Mailgun's API, for a test double; overrides the region."),
  timeout_ms: timeoutField,
});

type MailgunSettings = z.output<typeof settings>;

const hosts = { us: "https://api.mailgun.net", eu: "https://api.eu.mailgun.net" } as const;

export const mailgun = defineGateway({
  kind: "mailgun",
  channels: ["email"],
  title: "Mailgun",
  summary: "Email through Mailgun, in its US or EU region, with signed events.",
  settings,
  maxMessageBytes: 25 * 1024 * 1024,
  urls: (own) => [messagesUrl(own)],
  encodedSecrets: (own) => [basicPair(own)],
  async send(message, own, tools) {
    const form = await formOf(message, own);
    const result = await tools.outbound.request({
      method: "POST",
      url: messagesUrl(own),
      headers: {
        authorization: `Basic ${basicPair(own)}`,
        "content-type": form.contentType,
        accept: "application/json",
      },
      body: form.body,
      timeoutMs: tools.timeoutMs,
      signal: tools.signal,
    });
    return vendorOutcome(result, {
      vendor: "Mailgun",
      secrets: [own.api_key, basicPair(own), own.webhook_signing_key ?? ""],
      now: tools.clock.now(),
      reference: (json) => bareMessageId(textAt(json, "$.id")),
      code: mailgunCode,
      faultOf: mailgunFault,
    });
  },
  receive: (callback, own, { clock }) => receiveMailgun(callback, own.webhook_signing_key, clock.now()),
});

function messagesUrl(own: MailgunSettings): string {
  return `${(own.base_url ?? hosts[own.region]).replace(/(?<!\/)\/+$/, "")}/v3/${own.domain}/messages`;
}

function basicPair(own: MailgunSettings): string {
  return Buffer.from(`api:${own.api_key}`).toString("base64");
}

/** Attachments go as they are, in binary: base64 would make them a third longer. */
async function formOf(message: OutgoingMessage, own: MailgunSettings) {
  const email = message.email!;
  const fields: [string, string][] = [
    ["from", mailboxText(senderOf(email, own))],
    ["to", message.recipient],
    ["subject", email.subject],
    ["text", email.text],
  ];
  if (email.html !== null) fields.push(["html", email.html]);
  if (email.replyTo !== null) fields.push(["h:Reply-To", email.replyTo]);
  for (const [name, value] of email.headers) fields.push([`h:${name}`, value]);
  fields.push([`v:${messageIdTag}`, message.id]);
  for (const option of ["tracking", "tracking-clicks", "tracking-opens"]) fields.push([`o:${option}`, "no"]);
  return multipartForm(
    fields.map(([name, value]) => ({ name, value })),
    await filesOf(email),
  );
}

async function filesOf(email: OutgoingEmail): Promise<FormFile[]> {
  const files: FormFile[] = [];
  for (const { filename, contentType, sha256, content } of email.attachments) {
    files.push({ name: "attachment", filename, contentType, sha256, content: await content() });
  }
  return files;
}

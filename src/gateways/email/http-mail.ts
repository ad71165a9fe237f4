// Email gateways of HTTP APIs: `defineHttpMail` turns a vendor's request format and error codes into an adapter. Mailboxes
// and attachments are here too; vendors differ in field names, but share these traps.

import type { z } from "zod";
import { wireAddress } from "#contract/address.ts";
import type { Mailbox } from "#contract/mailbox.ts";
import { tagParts } from "#contract/messages/mail/parts.ts";
import { encodedWords } from "#gateways/email/mime/header-text.ts";
import { mailboxesOf } from "#gateways/email/mime/mime.ts";
import { defineGateway, type GatewayAdapter, type GatewayDefinition } from "#gateways/gateway.ts";
import type { timeoutField } from "#gateways/http-settings.ts";
import type { EmailContent, MailCopies, OutgoingMessage } from "#gateways/message.ts";
import { type AnswerFormat, vendorOutcome } from "#gateways/vendor-outcome.ts";
import { secretsIn } from "#settings/secrets.ts";
import { type MailEvents, mailEventReceiver } from "./mail-events.ts";
import { type EmailSettings, type emailFields, emailSender } from "./settings.ts";

export type EmailMessage = OutgoingMessage<"email">;

interface HttpMailRequest {
  headers: Record<string, string>;
  body: string | Buffer;
}

/** The settings of every email gateway of an HTTP API. */
type HttpMailFields = typeof emailFields & { timeout_ms: typeof timeoutField };
type HttpMailSettings = EmailSettings & { timeout_ms: number };

interface HttpMailDefinition<Settings extends z.ZodObject<HttpMailFields>>
  extends Pick<
    GatewayDefinition<Settings>,
    | "kind"
    | "title"
    | "summary"
    | "settings"
    | "onUnknown"
    | "idempotencyWindowMs"
    | "encodedSecrets"
    | "receive"
  > {
  /** Size limit of the vendor's mails, bytes, with files in base64; default: no known limit. */
  maxMessageBytes?: number;
  /** Whether a mail may have images that its HTML refers to; default: true. */
  inlineImages?: boolean;
  /** Whether a mail may name several addresses for replies; default: true. */
  severalReplyTo?: boolean;
  /** The URL that mails are posted to. */
  url(settings: z.output<Settings>): string;
  /** The request for a mail. `now`: epoch ms, for signatures. Reads all attachments. */
  request(
    message: EmailMessage,
    settings: z.output<Settings>,
    target: { url: string; now: number },
  ): Promise<HttpMailRequest>;
  /** How to read the answer. */
  answer(settings: z.output<Settings>): AnswerFormat;
  /** How to read events, if a table can describe it; otherwise `receive`. */
  events?: MailEvents<z.output<Settings>>;
}

/**
 * An adapter of the channel `email` that posts each mail to its vendor and reads the outcome from the answer.
 *
 * @example
 * export const acme = defineHttpMail({
 *   kind: "acme",
 *   title: "Acme",
 *   summary: "Email through Acme, with events that a token protects.",
 *   settings: z.strictObject({ ...emailFields, callback_token: callbackTokenField, base_url, timeout_ms: timeoutField }),
 *   url: ({ base_url }) => joinUrl(base_url, "/send"),
 *   request: async (message, settings) => jsonRequest({}, await bodyOf(message, settings)),
 *   answer: () => ({ vendor: "Acme", reference: (json) => textAt(json, "$.id"), code: () => null, faultOf: () => undefined }),
 *   events: {
 *     proof: tokenProof,
 *     type: "$.event",
 *     reference: "$.id",
 *     id: `$.tags.${messageIdTag}`,
 *     at: ["$.time"],
 *     words: { delivered: { status: "delivered" }, opened: { kind: "opened" } },
 *   },
 * });
 */
export function defineHttpMail<Settings extends z.ZodObject<HttpMailFields>>(
  definition: HttpMailDefinition<Settings>,
): GatewayAdapter {
  const {
    url,
    request,
    answer,
    encodedSecrets,
    maxMessageBytes,
    inlineImages,
    severalReplyTo,
    events,
    ...rest
  } = definition;
  return defineGateway<Settings, "email">({
    ...rest,
    ...(encodedSecrets && { encodedSecrets }),
    ...(events && { receive: mailEventReceiver(events) }),
    channels: ["email"],
    contents: ["email"],
    urls: (settings) => [url(settings)],
    timeoutMs: ({ timeout_ms }: HttpMailSettings) => timeout_ms,
    mail: {
      sender: (settings: HttpMailSettings) => emailSender(settings),
      maxBytes: maxMessageBytes,
      inlineImages,
      severalReplyTo,
    },
    async send(message, settings, { outbound, clock, timeoutMs, signal }) {
      const now = clock.now();
      const target = url(settings);
      const { headers, body } = await request(message, settings, { url: target, now });
      const result = await outbound.request({
        method: "POST",
        url: target,
        headers,
        body,
        timeoutMs,
        signal,
      });
      const secrets = () => [
        ...secretsIn(definition.settings, settings),
        ...(encodedSecrets?.(settings) ?? []),
      ];
      return vendorOutcome(result, answer(settings), { secrets, now: clock.now() });
    },
  });
}

/** A JSON body with its content type, in addition to the vendor's own headers. An undefined field is omitted. */
export function jsonRequest(
  headers: Record<string, string>,
  body: object,
): HttpMailRequest & { body: string } {
  return {
    headers: { ...headers, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  };
}

/** The name under which our id is sent to a vendor (tag, custom argument, variable, metadata) and returned in its events. */
export const messageIdTag = "trunkline_message";

/** The sender of the mail: its own address or else the gateway's, with the caller's name or else the gateway's. */
export function senderOf(email: EmailContent, { from, from_name }: EmailSettings): Mailbox {
  return { address: email.from ?? wireAddress(from) ?? from, name: email.senderName ?? from_name ?? null };
}

/** `"Name" <address>` (RFC 5322, 3.4), the name in UTF-8: for vendors that encode it themselves. */
export function mailboxText({ address, name }: Mailbox): string {
  if (name === null) return address;
  return `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
}

/** The same in ASCII only (RFC 2047): for vendors that expect encoded names. */
export function asciiMailboxText(mailbox: Mailbox): string {
  const { address, name } = mailbox;
  if (name === null || /^[\u0020-\u007e]*$/.test(name)) return mailboxText(mailbox);
  return `${encodedName(name)} <${address}>`;
}

/** Encoded words on one line, for vendors that accept no line breaks in the field. */
export const encodedName = (name: string) => encodedWords(name.toWellFormed()).join(" ");

/** All recipients by their fields. */
export function recipientsOf({
  recipient,
  content: email,
}: EmailMessage): Record<keyof MailCopies, Mailbox[]> {
  const { to = [], cc = [], bcc = [] } = email.copies ?? {};
  const those = (addresses: readonly string[]) => mailboxesOf(email, addresses);
  return { to: those([recipient, ...to]), cc: those(cc), bcc: those(bcc) };
}

/** The tags with a value each, for vendors whose tags are pairs. */
export const tagPairs = ({ tags = [] }: EmailContent): readonly (readonly [name: string, value: string])[] =>
  tags.map((tag) => {
    const [name, value] = tagParts(tag);
    return [name, value || "true"];
  });

interface Base64Attachment {
  filename: string;
  contentType: string;
  base64: string;
  contentId?: string;
}

/** The attachments in order. They are read one after the other: each is in memory twice while it is encoded. */
export async function base64Attachments(email: EmailContent): Promise<Base64Attachment[]> {
  const encoded: Base64Attachment[] = [];
  for (const { filename, contentType, content, contentId } of email.attachments) {
    const base64 = (await content()).toString("base64");
    encoded.push({ filename, contentType, base64, ...(contentId === undefined ? {} : { contentId }) });
  }
  return encoded;
}

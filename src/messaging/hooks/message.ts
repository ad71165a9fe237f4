// The messages that a body makes of a hook: one for each of its recipients, all with the same text.

import type { HookFields } from "#contract/hooks/hooks.ts";
import { presets } from "#contract/hooks/presets.ts";
import { parseTemplate, type Template } from "#contract/hooks/template.ts";
import type { Channel } from "#contract/messages/channel.ts";
import { htmlOfText, isHtml } from "#messaging/email/html-text.ts";
import { fill, htmlText, plainText, singleLine } from "./render.ts";

type HookMessage = Pick<
  HookFields,
  "channel" | "gateway_identifier" | "message" | "missing" | "preset" | "subject" | "to"
>;

interface HookTexts {
  /** Null for channels without a subject. */
  subject: string | null;
  message: string;
  /** The placeholders without a value. */
  missing: string[];
}

/** Six SMS of the GSM alphabet, what a WhatsApp message may have, and a long mail. */
const maxLength: Readonly<Record<Channel, number>> = { sms: 918, whatsapp: 4_096, email: 100_000 };
const maxSubjectLength = 200;

/** The templates of a hook, its own or those of its preset. */
export function templatesOf({
  preset,
  subject,
  message,
}: Pick<HookFields, "preset" | "subject" | "message">) {
  const of = preset === null ? null : presets[preset];
  return { subject: subject ?? of?.subject ?? "", message: message ?? of?.message ?? "" };
}

/** A template was checked when it was stored. One that is stricter today is written as it is. */
function read(text: string): Template {
  const parsed = parseTemplate(text);
  return parsed.kind === "parsed" ? parsed.template : [{ kind: "text", text }];
}

/** A mail's body: a template with a tag is HTML, in which values are escaped. In any other, no value becomes a tag. */
function mailOf(template: string, body: unknown, missing: string) {
  const filling = { missing, maxLength: maxLength.email };
  if (isHtml(template)) return fill(read(template), body, { ...filling, escape: htmlText });
  const filled = fill(read(template), body, { ...filling, escape: (value) => value });
  const text = plainText(filled.text, maxLength.email);
  return { ...filled, text: isHtml(text) ? htmlOfText(text) : text };
}

/** The texts of a hook's messages for a body. */
export function hookTexts(hook: HookMessage, body: unknown): HookTexts {
  const { channel } = hook;
  const templates = templatesOf(hook);
  const missing = hook.missing ?? "";
  const plain = { missing, escape: (value: string) => value };
  if (channel !== "email") {
    const filled = fill(read(templates.message), body, { ...plain, maxLength: maxLength[channel] });
    return { subject: null, message: plainText(filled.text, maxLength[channel]), missing: filled.missing };
  }
  const subject = fill(read(templates.subject), body, { ...plain, maxLength: maxSubjectLength });
  const mail = mailOf(templates.message, body, missing);
  return {
    subject: singleLine(subject.text, maxSubjectLength),
    message: mail.text,
    missing: [...new Set([...subject.missing, ...mail.missing])],
  };
}

/** The contacts of a send with these texts, in the words of the channel's send. `name`: the hook's, kept with each message. */
export function hookContacts(
  { channel, to, gateway_identifier }: HookMessage,
  { subject, message }: Pick<HookTexts, "subject" | "message">,
  name: string,
): object[] {
  const shared = { message, gateway_identifier, metadata: { hook: name } };
  return to.map((recipient) =>
    channel === "email" ? { email: recipient, subject, ...shared } : { number: recipient, ...shared },
  );
}

// The rules of a WhatsApp message that need its account: the phone number or user id, and the message's contents.

import type { AccountGateway } from "#accounts/account.ts";
import type { MessagePayload } from "#contract/messages/content.ts";
import { isLid, isUserId } from "#contract/messages/user-id.ts";
import type { WhatsappDraft, WhatsappListDraft } from "#contract/messages/whatsapp.ts";
import { findAdapter } from "#gateways/registry.ts";
import { toRecipient } from "./phone.ts";
import { createPreparer } from "./prepare.ts";

export const prepareWhatsapp = createPreparer<WhatsappDraft | WhatsappListDraft>({
  channel: "whatsapp",
  partsOf: (contact, country) => {
    const { number, message } = contact;
    const payload = payloadOf(contact);
    return {
      written: number,
      recipient: number === undefined ? undefined : whatsappNumber(number, country),
      content: payload?.kind ?? "text",
      body: message,
      payload,
    };
  },
  reaches,
  maxCharsOf,
});

/** Some kinds of gateways reach only phone numbers. */
function reaches({ kind }: AccountGateway, recipient: string): boolean {
  if (recipient.startsWith("+")) return true;
  const takesIds = findAdapter(kind, "whatsapp")?.takesIds ?? [];
  return takesIds.includes(isLid(recipient) ? "lid" : "user_id");
}

/** For lists and templates the limits are the same with every gateway. */
function maxCharsOf({ kind }: AccountGateway, contact: WhatsappDraft | WhatsappListDraft): number | null {
  if ("sections" in contact || contact.template !== null) return null;
  const maxChars = findAdapter(kind, "whatsapp")?.maxChars;
  if (maxChars === undefined) return null;
  // WhatsApp shows no text with audio, so there the text is not a caption.
  return contact.media == null || contact.media === "audio" ? maxChars.text : maxChars.caption;
}

/** E.164, or one of WhatsApp's ids; null for anything else, and for short codes, which have no WhatsApp. */
function whatsappNumber(written: string, country: string | null): string | null {
  if (isUserId(written) || isLid(written)) return written;
  const recipient = toRecipient(written, country)?.recipient;
  return recipient?.startsWith("+") ? recipient : null;
}

/** The contact's contents besides its text; null if there are none. A field with an issue counts as absent: nothing is stored then. */
function payloadOf(contact: WhatsappDraft | WhatsappListDraft): MessagePayload | null {
  if ("sections" in contact) {
    const { header = null, footer = null, button, sections } = contact;
    if (button === undefined || sections === undefined) return null;
    return { kind: "list", header, footer, button, sections };
  }
  const { media, url, filename, template } = contact;
  if (template != null) return { kind: "template", ...template };
  if (media == null || url == null) return null;
  return { kind: "media", media, url, filename: filename == null ? null : safeFilename(filename) };
}

/** The name without folders and invisible characters; null if nothing remains. */
function safeFilename(filename: string): string | null {
  const name = filename
    .slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim();
  return name === "" || name === "." || name === ".." ? null : name;
}

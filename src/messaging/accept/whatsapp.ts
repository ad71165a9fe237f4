// The rules of a WhatsApp message that need its account: the phone number, the gateway and the time. All issues of all
// contacts are reported together, beside those found in the body itself.

import type { Account, AccountGateway } from "#accounts/account.ts";
import type { Send } from "#contract/messages/contacts.ts";
import type { MessagePayload } from "#contract/messages/content.ts";
import { isUserId } from "#contract/messages/user-id.ts";
import type { WhatsappDraft, WhatsappListDraft } from "#contract/messages/whatsapp.ts";
import { sentences } from "#contract/wording.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { NewPayload } from "#store/messages/contents.ts";
import type { NewMessage } from "#store/messages/send.ts";
import { toRecipient } from "./phone.ts";
import { type PreparedSend, type PrepareTools, sliceSize } from "./prepare.ts";
import { createRouter } from "./route.ts";

/** Credits for a message of a gateway that is not a sandbox. */
const price = 1;

/** Applies the rules that need the account, and makes the rows of the messages. */
export async function prepareWhatsapp(
  account: Account,
  send: Send<WhatsappDraft | WhatsappListDraft>,
  { now, newIds, yieldToEventLoop }: PrepareTools,
): Promise<PreparedSend> {
  const issues = [...send.issues];
  const routeOf = createRouter(account, "whatsapp", now, issues);
  const ids = newIds("msg", send.contacts.length);
  const messages: NewMessage[] = [];
  const payloads: NewPayload[] = [];
  for (let index = 0; index < send.contacts.length; index++) {
    if (index > 0 && index % sliceSize === 0) await yieldToEventLoop();
    const contact = send.contacts[index]!;
    let recipient: string | null = null;
    if (contact.number !== undefined) {
      recipient = whatsappNumber(contact.number, account.country);
      const path = ["contact", index, "number"];
      if (recipient === null) issues.push({ path, message: sentences.phone(path) });
    }
    const payload = payloadOf(contact);
    const content = payload?.kind ?? "text";
    const route = routeOf(contact, index, content);
    if (recipient !== null && route !== null && !reaches(route.gateway, recipient)) {
      const path = ["contact", index, "number"];
      issues.push({ path, message: sentences.phone(path) });
    }
    if (issues.length > 0) continue;
    const { number, message } = contact;
    if (number === undefined || message === undefined || recipient === null || route === null)
      throw new Error("A contact lacks a field, and has no issue.");
    const id = ids[index]!;
    messages.push({
      id,
      gateway_id: route.gateway.id,
      gateway_pinned: route.named,
      recipient_raw: number,
      recipient,
      content,
      body: message,
      test: route.test,
      status: route.status,
      due_at: route.dueAt,
      schedule_at: route.scheduleAt,
      scheduled_for: route.scheduledFor,
      encoding: null,
      segments: null,
      cost: route.gateway.test ? 0 : price,
    });
    if (payload !== null) payloads.push({ message_id: id, payload });
  }
  if (issues.length > 0) return { kind: "invalid", issues };
  return { kind: "ready", messages, ...(payloads.length === 0 ? {} : { payloads }) };
}

/** Some kinds of gateways reach phone numbers alone. */
const reaches = ({ kind }: AccountGateway, recipient: string) =>
  recipient.startsWith("+") || (findAdapter(kind, "whatsapp")?.takesUserIds ?? false);

/** E.164, or a user id; null for what is neither, and for short codes, which have no WhatsApp. */
function whatsappNumber(written: string, country: string | null): string | null {
  if (isUserId(written)) return written;
  const recipient = toRecipient(written, country)?.recipient;
  return recipient?.startsWith("+") ? recipient : null;
}

/** What the contact has beside its text; null: nothing. A field with an issue counts as absent: nothing is stored then. */
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

/** The name without folders and without characters that have no shape; null when nothing is left. */
function safeFilename(filename: string): string | null {
  const name = filename
    .slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim();
  return name === "" || name === "." || name === ".." ? null : name;
}

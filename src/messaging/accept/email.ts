// The rules of an email that need its account: the gateway and the time. All issues of all contacts are reported
// together, beside those found in the body itself.

import type { Account } from "#accounts/account.ts";
import { normaliseAddress } from "#contract/address.ts";
import type { EmailSend } from "#contract/messages/email.ts";
import type { NewEmail, NewMessage } from "#store/messages/send.ts";
import { type PreparedSend, type PrepareTools, sliceSize } from "./prepare.ts";
import { createRouter } from "./route.ts";

/** Credits for a message of a gateway that is not a sandbox. */
const price = 1;

/** Applies the rules that need the account, and makes the rows of the messages. */
export async function prepareEmail(
  account: Account,
  send: EmailSend,
  { now, newIds, yieldToEventLoop }: PrepareTools,
): Promise<PreparedSend> {
  const issues = [...send.issues];
  const routeOf = createRouter(account, "email", now, issues);
  const ids = newIds("msg", send.contacts.length);
  const messages: NewMessage[] = [];
  const emails: NewEmail[] = [];
  for (let index = 0; index < send.contacts.length; index++) {
    if (index > 0 && index % sliceSize === 0) await yieldToEventLoop();
    const contact = send.contacts[index]!;
    const route = routeOf(contact, index, "email");
    if (issues.length > 0) continue;
    const { email, subject, message, sender_name = null, reply_to_email = null } = contact;
    const recipient = email === undefined ? null : normaliseAddress(email);
    if (
      email === undefined ||
      recipient === null ||
      subject === undefined ||
      message === undefined ||
      route === null
    )
      throw new Error("A contact lacks a field, and has no issue.");
    const id = ids[index]!;
    messages.push({
      id,
      gateway_id: route.gateway.id,
      gateway_pinned: route.named,
      recipient_raw: email,
      recipient,
      content: "email",
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
    emails.push({ message_id: id, subject, sender_name, reply_to: reply_to_email });
  }
  return issues.length > 0 ? { kind: "invalid", issues } : { kind: "ready", messages, emails };
}

// The rules of an email that need its account: through which gateway, and when. All faults of all contacts are
// reported together, beside those found in the body itself.

import type { Account } from "#accounts/account.ts";
import { normaliseAddress } from "#contract/address.ts";
import type { Issue } from "#contract/issue.ts";
import type { EmailSend } from "#contract/messages/email.ts";
import type { NewEmail, NewMessage } from "#store/messages/insert.ts";
import { createRouter } from "./route.ts";

export type PreparedEmail =
  | { kind: "ready"; messages: NewMessage[]; emails: NewEmail[] }
  | { kind: "invalid"; issues: Issue[] };

/** Contacts looked at before the event loop gets a turn. */
const slice = 1000;
/** Credit for a message that is really sent. */
const price = 1;

/** Checks and completes a send. `now`: epoch ms of acceptance; `breathe` lets other work run. */
export async function prepareEmail(
  account: Account,
  send: EmailSend,
  now: number,
  newIds: (prefix: string, count: number) => string[],
  breathe: () => Promise<void>,
): Promise<PreparedEmail> {
  const issues = [...send.issues];
  const placeOf = createRouter(account, "email", now, issues);
  const ids = newIds("msg", send.contacts.length);
  const messages: NewMessage[] = [];
  const emails: NewEmail[] = [];
  for (let index = 0; index < send.contacts.length; index++) {
    if (index > 0 && index % slice === 0) await breathe();
    const contact = send.contacts[index]!;
    const place = placeOf(contact, index);
    if (issues.length > 0 || place === null) continue;
    const { email, subject, message, sender_name = null, reply_to_email = null } = contact;
    const recipient = email === undefined ? null : normaliseAddress(email);
    if (email === undefined || recipient === null || subject === undefined || message === undefined)
      throw new Error("A contact lacks a field, and has no issue.");
    const id = ids[index]!;
    messages.push([
      id,
      place.gateway.id,
      place.named,
      email,
      recipient,
      message,
      place.test,
      place.status,
      place.dueAt,
      place.scheduleAt,
      place.scheduledFor,
      null,
      null,
      place.gateway.test ? 0 : price,
    ]);
    emails.push([id, subject, sender_name, reply_to_email]);
  }
  return issues.length > 0 ? { kind: "invalid", issues } : { kind: "ready", messages, emails };
}

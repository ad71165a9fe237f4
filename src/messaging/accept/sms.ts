// The rules of an SMS that need its account: whose number is it, through which gateway, when, in how many
// segments. All faults of all contacts are reported together, beside those found in the body itself.

import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { SmsSend } from "#contract/messages/sms.ts";
import { sentences } from "#contract/wording.ts";
import type { NewMessage } from "#store/messages/insert.ts";
import { toRecipient } from "./phone.ts";
import { createRouter } from "./route.ts";
import { type Measure, measure } from "./segments.ts";

export type PreparedSms = { kind: "ready"; messages: NewMessage[] } | { kind: "invalid"; issues: Issue[] };

/** Contacts looked at before the event loop gets a turn. */
const slice = 1000;

/** Checks and completes a send. `now`: epoch ms of acceptance; `breathe` lets other work run. */
export async function prepareSms(
  account: Account,
  send: SmsSend,
  now: number,
  newIds: (prefix: string, count: number) => string[],
  breathe: () => Promise<void>,
): Promise<PreparedSms> {
  const issues = [...send.issues];
  const placeOf = createRouter(account, "sms", now, issues);
  const measured = measurer();
  const ids = newIds("msg", send.contacts.length);
  const messages: NewMessage[] = [];
  for (let index = 0; index < send.contacts.length; index++) {
    if (index > 0 && index % slice === 0) await breathe();
    const contact = send.contacts[index]!;
    let recipient: string | null = null;
    if (contact.number !== undefined) {
      recipient = toRecipient(contact.number, account.country)?.recipient ?? null;
      const path = ["contact", index, "number"];
      if (recipient === null) issues.push({ path, message: sentences.phone(path) });
    }
    const place = placeOf(contact, index);
    if (issues.length > 0 || recipient === null || place === null) continue;

    const body = contact.message as string;
    const { encoding, segments } = measured(body);
    messages.push([
      ids[index]!,
      place.gateway.id,
      place.named,
      contact.number as string,
      recipient,
      body,
      place.test,
      place.status,
      place.dueAt,
      place.scheduleAt,
      place.scheduledFor,
      encoding,
      segments,
      place.gateway.test ? 0 : segments,
    ]);
  }
  return issues.length > 0 ? { kind: "invalid", issues } : { kind: "ready", messages };
}

/** Campaigns repeat one text; it is measured once. */
function measurer(): (text: string) => Measure {
  let last: { text: string; measure: Measure } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, measure: measure(text) };
    return last.measure;
  };
}

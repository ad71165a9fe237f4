// The rules of an SMS that need its account: the recipient's number, the gateway, the time and the price in segments.
// All issues of all contacts are reported together, beside those found in the body itself.

import type { Account } from "#accounts/account.ts";
import { type Measure, measure } from "#contract/messages/segments.ts";
import type { SmsSend } from "#contract/messages/sms.ts";
import { sentences } from "#contract/wording.ts";
import type { NewMessage } from "#store/messages/send.ts";
import { toRecipient } from "./phone.ts";
import { type PreparedSend, type PrepareTools, sliceSize } from "./prepare.ts";
import { createRouter } from "./route.ts";

/** Applies the rules that need the account, and makes the rows of the messages. */
export async function prepareSms(
  account: Account,
  send: SmsSend,
  { now, newIds, yieldToEventLoop }: PrepareTools,
): Promise<PreparedSend> {
  const issues = [...send.issues];
  const routeOf = createRouter(account, "sms", now, issues);
  const measureText = createMeasurer();
  const ids = newIds("msg", send.contacts.length);
  const messages: NewMessage[] = [];
  for (let index = 0; index < send.contacts.length; index++) {
    if (index > 0 && index % sliceSize === 0) await yieldToEventLoop();
    const contact = send.contacts[index]!;
    let recipient: string | null = null;
    if (contact.number !== undefined) {
      recipient = toRecipient(contact.number, account.country)?.recipient ?? null;
      const path = ["contact", index, "number"];
      if (recipient === null) issues.push({ path, message: sentences.phone(path) });
    }
    const route = routeOf(contact, index, "text");
    if (issues.length > 0) continue;
    const { number, message } = contact;
    if (number === undefined || message === undefined || recipient === null || route === null)
      throw new Error("A contact lacks a field, and has no issue.");
    const { encoding, segments } = measureText(message);
    messages.push({
      id: ids[index]!,
      gateway_id: route.gateway.id,
      gateway_pinned: route.named,
      recipient_raw: number,
      recipient,
      content: "text",
      body: message,
      test: route.test,
      status: route.status,
      due_at: route.dueAt,
      schedule_at: route.scheduleAt,
      scheduled_for: route.scheduledFor,
      encoding,
      segments,
      cost: route.gateway.test ? 0 : segments,
    });
  }
  return issues.length > 0 ? { kind: "invalid", issues } : { kind: "ready", messages };
}

/** Measures a text once as long as contacts repeat it, as campaigns do. */
function createMeasurer(): (text: string) => Measure {
  let last: { text: string; measure: Measure } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, measure: measure(text) };
    return last.measure;
  };
}

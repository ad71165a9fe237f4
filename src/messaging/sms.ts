// The rules of an SMS that need its account: whose number is it, through which gateway, when, in how many
// segments. All faults of all contacts are reported together, beside those found in the body itself.

import { type Account, type AccountGateway, defaultGateway } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { SmsSend } from "#contract/sms.ts";
import { scheduleReader } from "#runtime/wall-clock.ts";
import type { SendInput } from "#store/accept.ts";
import { toRecipient } from "./phone.ts";
import { type Measure, measure } from "./segments.ts";

export type PreparedSms =
  | { kind: "ready"; messages: Omit<SendInput["messages"], "id"> }
  | { kind: "invalid"; issues: Issue[] };

/** Contacts looked at before the event loop gets a turn. */
const slice = 1000;

/** Checks and completes a send. `now`: epoch ms of acceptance; `breathe` lets other work run. */
export async function prepareSms(
  account: Account,
  send: SmsSend,
  now: number,
  breathe: () => Promise<void>,
): Promise<PreparedSms> {
  const issues = [...send.issues];
  const gatewayOf = gatewayFinder(account);
  const readSchedule = scheduleReader(account.timeZone);
  const measured = measurer();
  const messages = emptyColumns(send.contacts.length);
  for (let index = 0; index < send.contacts.length; index++) {
    if (index > 0 && index % slice === 0) await breathe();
    const contact = send.contacts[index]!;
    const fault = (field: string, message: string) =>
      issues.push({ path: ["contact", index, field], message });

    let recipient: string | null = null;
    if (contact.number !== undefined) {
      recipient = toRecipient(contact.number, account.country)?.recipient ?? null;
      if (recipient === null)
        fault("number", `The contact.${index}.number field must be a valid phone number.`);
    }
    let gateway: AccountGateway | null = null;
    if (contact.gateway_identifier !== undefined) {
      gateway = gatewayOf(contact.gateway_identifier);
      if (gateway === null) {
        fault(
          "gateway_identifier",
          contact.gateway_identifier === null
            ? "No active sms gateway is configured."
            : `The selected contact.${index}.gateway_identifier is invalid.`,
        );
      }
    }
    let scheduledFor: number | null = null;
    if (contact.schedule_at != null) {
      scheduledFor = readSchedule(contact.schedule_at);
      if (scheduledFor === null) {
        fault("schedule_at", `The contact.${index}.schedule_at field must match the format Y-m-d H:i:s.`);
      }
    }
    if (issues.length > 0 || recipient === null || gateway === null) continue;

    const body = contact.message as string;
    const { encoding, segments } = measured(body);
    messages.gateway_id[index] = gateway.id;
    messages.named[index] = contact.gateway_identifier === null ? 0 : 1;
    messages.number[index] = contact.number as string;
    messages.recipient[index] = recipient;
    messages.body[index] = body;
    messages.test[index] = gateway.test ? 1 : 0;
    messages.status[index] = scheduledFor === null ? "queued" : "scheduled";
    // A past time is due at once, and its lateness counts from acceptance.
    messages.due_at[index] = Math.max(now, scheduledFor ?? now);
    messages.schedule_at[index] = contact.schedule_at as string | null;
    messages.scheduled_for[index] = scheduledFor;
    messages.encoding[index] = encoding;
    messages.segments[index] = segments;
    messages.cost[index] = gateway.test ? 0 : segments;
  }
  return issues.length > 0 ? { kind: "invalid", issues } : { kind: "ready", messages };
}

/** Columns of their final length: arrays that grow by pushing leave four times the garbage, and a send is mostly one contact. */
function emptyColumns(count: number): Omit<SendInput["messages"], "id"> {
  return {
    gateway_id: new Array(count),
    named: new Array(count),
    number: new Array(count),
    recipient: new Array(count),
    body: new Array(count),
    test: new Array(count),
    status: new Array(count),
    due_at: new Array(count),
    schedule_at: new Array(count),
    scheduled_for: new Array(count),
    encoding: new Array(count),
    segments: new Array(count),
    cost: new Array(count),
  };
}

/** Active SMS gateways by identifier; null names the default one. */
function gatewayFinder(account: Account): (identifier: string | null) => AccountGateway | null {
  const usual = defaultGateway(account, "sms");
  const named = new Map(
    account.gateways
      .filter((gateway) => gateway.channel === "sms" && gateway.active)
      .map((gateway) => [gateway.identifier, gateway]),
  );
  return (identifier) => (identifier === null ? usual : (named.get(identifier) ?? null));
}

/** Campaigns repeat one text; it is measured once. */
function measurer(): (text: string) => Measure {
  let last: { text: string; measure: Measure } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, measure: measure(text) };
    return last.measure;
  };
}

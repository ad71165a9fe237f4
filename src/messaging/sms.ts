// The rules of an SMS that need its account: whose number is it, through which gateway, when, in how many
// segments. All faults of all contacts are reported together, beside those found in the body itself.

import { type Account, type AccountGateway, defaultGateway } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { SmsSend } from "#contract/sms.ts";
import { scheduleReader } from "#runtime/wall-clock.ts";
import type { NewMessage } from "#store/accept.ts";
import { toRecipient } from "./phone.ts";
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
  const gatewayOf = gatewayFinder(account);
  const readSchedule = scheduleReader(account.timeZone);
  const measured = measurer();
  const ids = newIds("msg", send.contacts.length);
  const messages: NewMessage[] = [];
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
    messages.push([
      ids[index]!,
      gateway.id,
      contact.gateway_identifier === null ? 0 : 1,
      contact.number as string,
      recipient,
      body,
      gateway.test ? 1 : 0,
      scheduledFor === null ? "queued" : "scheduled",
      // A past time is due at once, and its lateness counts from acceptance.
      Math.max(now, scheduledFor ?? now),
      contact.schedule_at as string | null,
      scheduledFor,
      encoding,
      segments,
      gateway.test ? 0 : segments,
    ]);
  }
  return issues.length > 0 ? { kind: "invalid", issues } : { kind: "ready", messages };
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

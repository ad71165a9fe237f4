// Moves a waiting message to another time.

import { type Account, onlyOn } from "#accounts/account.ts";
import type { Channel, Status } from "#contract/messages/channel.ts";
import type { MessageRecord } from "#contract/messages/record.ts";
import { idTime } from "#runtime/ids.ts";
import { localTime, readSchedule } from "#runtime/time-zones.ts";
import { type NewTime, rescheduleMessage } from "#store/messages/reschedule.ts";
import { lookup } from "./lookup.ts";
import type { WaitingDeps } from "./waiting.ts";

export type Rescheduled =
  | { kind: "rescheduled"; record: MessageRecord }
  /** It no longer waits. */
  | { kind: "not_cancellable"; status: Status }
  | { kind: "not_found" };

/** `scheduleAt`: a local time of the account, which `isWallTime` accepts; null for at once. `by`: who decided, for the timeline. */
export function newTimeOf(
  account: Pick<Account, "timeZone">,
  scheduleAt: string | null,
  at: number,
  by: string,
): NewTime {
  const text = scheduleAt ?? localTime(at, account.timeZone);
  const scheduledFor = scheduleAt === null ? at : (readSchedule(text, account.timeZone) ?? at);
  const detail = `Moved to ${new Date(scheduledFor).toISOString()} by ${by}.`;
  return { at, detail, scheduleAt: text, scheduledFor };
}

/** Moves a message that is not being sent yet. `channel` null: of any channel. The other arguments: see `newTimeOf`. */
export async function reschedule(
  deps: WaitingDeps,
  account: Pick<Account, "id" | "timeZone" | "gatewayIds">,
  channel: Channel | null,
  id: string,
  scheduleAt: string | null,
  by: string,
): Promise<Rescheduled> {
  if (idTime(id) === null) return { kind: "not_found" };
  const to = newTimeOf(account, scheduleAt, deps.clock.now(), by);
  const of = { accountId: account.id, channel, id, ...onlyOn(account) };
  const result = await deps.database.run(rescheduleMessage, { ...of, to });
  if (result.kind !== "rescheduled") return result;
  const record = await lookup(deps, account, result.channel, id);
  return record ? { kind: "rescheduled", record } : { kind: "not_found" };
}

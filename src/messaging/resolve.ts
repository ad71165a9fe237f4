// Nobody knows whether a message was sent, and the account decides: send it again, or call it sent or failed. A
// receipt that comes later still counts, whatever was answered; one that comes before a message that is to be sent
// again has left keeps it from being sent twice.

import type { Account } from "#accounts/account.ts";
import type { Channel, Status } from "#contract/messages/channel.ts";
import type { MessageRecord } from "#contract/messages/record.ts";
import type { Resolution } from "#contract/messages/resolve.ts";
import type { Core } from "#core/core.ts";
import { idTime } from "#runtime/ids.ts";
import { resolveUnknown } from "#store/messages/resolve-unknown.ts";
import type { TransitionDetails } from "#store/messages/transitions.ts";
import { lookup } from "./lookup.ts";

export type Resolved =
  | { kind: "resolved"; record: MessageRecord }
  /** Its outcome is known, and stays. */
  | { kind: "not_unknown"; status: Status }
  | { kind: "not_found" };

export type ResolveDeps = Pick<Core, "clock" | "database" | "signals">;

const steps = {
  send_again: { step: "resent_by_account", said: "Sent again" },
  mark_sent: { step: "marked_sent", said: "Marked as sent" },
  mark_failed: { step: "marked_failed", said: "Marked as failed" },
} as const;

/** Answers for a message that is `unknown`. `channel` null: whichever it has. `by` stands in its timeline. */
export async function resolve(
  parts: ResolveDeps,
  account: Account,
  channel: Channel | null,
  id: string,
  answer: Resolution,
  by: string,
): Promise<Resolved> {
  const { database, clock } = parts;
  if (idTime(id) === null) return { kind: "not_found" };
  const { step, said } = steps[answer];
  const at = clock.now();
  const detail = `${said} by ${by}.`;
  const happening: TransitionDetails =
    answer === "send_again"
      ? // As after an automatic repeat: it does not move to another gateway, and a second doubt is not repeated by itself.
        { at, detail, dueAt: at, resend: true }
      : { at, detail, code: step, message: detail };
  const result = await database.run(resolveUnknown, { accountId: account.id, channel, id, step, happening });
  if (result.kind !== "resolved") return result;
  parts.signals.emit("eventsRecorded");
  if (answer === "send_again") parts.signals.emit("laneDue", result.laneId);
  const record = await lookup(database, account, result.channel, id);
  return record ? { kind: "resolved", record } : { kind: "not_found" };
}

// Resolves a message with an unknown outcome as its account decides: resend it, or mark it sent or failed. A later receipt still counts
// after every decision. A receipt that arrives before a resend prevents the message from being sent twice.

import { type Account, onlyOn } from "#accounts/account.ts";
import type { Resolution } from "#contract/messages/changes.ts";
import type { Channel, Status } from "#contract/messages/channel.ts";
import type { MessageRecord } from "#contract/messages/record.ts";
import { idTime } from "#runtime/ids.ts";
import { resolveUnknown } from "#store/messages/resolve-unknown.ts";
import type { TransitionDetails } from "#store/messages/transitions.ts";
import { lookup } from "./lookup.ts";
import type { WaitingDeps } from "./waiting.ts";

export type Resolved =
  | { kind: "resolved"; record: MessageRecord }
  /** The outcome is known and cannot be changed. */
  | { kind: "not_unknown"; status: Status }
  /** It cannot be sent again: its gateway has been deleted. */
  | { kind: "gateway_gone" }
  | { kind: "not_found" };

const resolutionSteps = {
  send_again: { step: "resent_by_account", label: "Sent again" },
  mark_sent: { step: "marked_sent", label: "Marked as sent" },
  mark_failed: { step: "marked_failed", label: "Marked as failed" },
} as const;

/** Resolves a message that is `unknown`. `channel` null: of any channel. `by`: who decided, for the timeline. */
export async function resolve(
  deps: WaitingDeps,
  account: Pick<Account, "id" | "gatewayIds">,
  channel: Channel | null,
  id: string,
  answer: Resolution,
  by: string,
): Promise<Resolved> {
  const { database, clock } = deps;
  if (idTime(id) === null) return { kind: "not_found" };
  const { step, label } = resolutionSteps[answer];
  const at = clock.now();
  const detail = `${label} by ${by}.`;
  const details: TransitionDetails =
    answer === "send_again"
      ? // As after an automatic resend: it stays on its gateway, and a second unknown outcome is not resent automatically.
        { at, detail, dueAt: at, resend: true }
      : { at, detail, code: step, message: detail };
  const of = { accountId: account.id, channel, id, ...onlyOn(account) };
  const result = await database.run(resolveUnknown, { ...of, step, details });
  if (result.kind !== "resolved") return result;
  const record = await lookup(deps, account, result.channel, id);
  return record ? { kind: "resolved", record } : { kind: "not_found" };
}

// The decision of an account or an operator about an unknown outcome, applied as a step of the message like any other.

import type { Channel, Status } from "#contract/messages/channel.ts";
import type { SystemStep } from "#contract/messages/states.ts";
import { writeOperation } from "#store/database.ts";
import { holdGateways } from "#store/gateways/hold.ts";
import { lockMessageOf, type MessageOf, TransitionBatch, type TransitionDetails } from "./transitions.ts";

export type ResolveOutcome =
  | { kind: "resolved"; channel: Channel }
  /** Nothing changed: it cannot be sent again, because its gateway has been deleted. */
  | { kind: "gateway_gone" }
  /** Nothing changed: its status is no longer `unknown`, for instance because a receipt came first. */
  | { kind: "not_unknown"; status: Status }
  | { kind: "not_found" };

/** Takes the step if the account's message is `unknown`. `channel` is null for every channel. */
export const resolveUnknown = writeOperation(
  "resolveUnknown",
  async (
    tx,
    input: MessageOf & {
      step: Extract<SystemStep, "resent_by_account" | "marked_sent" | "marked_failed">;
      details: TransitionDetails;
    },
  ): Promise<ResolveOutcome> => {
    const row = await lockMessageOf(tx, input);
    if (row === null) return { kind: "not_found" };
    const { status, channel, gateway_id: laneId } = row;
    const changes = new TransitionBatch();
    if (!changes.apply(row, { by: "system", step: input.step }, input.details))
      return { kind: "not_unknown", status };
    // Transitions that were applied in memory are not written.
    if (input.step === "resent_by_account" && !(await holdGateways(tx, [laneId])).has(laneId))
      return { kind: "gateway_gone" };
    await changes.write(tx);
    return { kind: "resolved", channel };
  },
);

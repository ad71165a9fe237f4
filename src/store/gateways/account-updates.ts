// What a provider reports about a gateway itself: facts and a notice for operators, and pauses that it causes. Unlike the breaker's pauses,
// these may be written by any process; the owner of the lane reopens it when its revision changes.

import { type Tx, writeOperation } from "#store/database.ts";
import { eventIdOf } from "#store/webhooks/outbox.ts";
import { recordGatewayEvent } from "./events.ts";

/** By name; null if the provider no longer has such a value. */
export type Facts = Readonly<Record<string, string | null>>;

export interface StoredAccountUpdate {
  gatewayId: string;
  /** By the provider's clock, epoch ms. */
  at: number;
  facts: Facts;
  /** Null if they apply to the gateway in any case. */
  aboutNumber: string | null;
  notice: string | null;
  /** Epoch ms; null if it causes no pause. */
  pauseUntil: number | null;
  lifted: boolean;
  /** By our clock, epoch ms. */
  now: number;
}

/**
 * Stores what a provider reports about a gateway. Returns true if the lane's pause changed. A repeated update, or one that is older than
 * the stored state, has no effect.
 */
export const storeAccountUpdate = writeOperation(
  "storeAccountUpdate",
  async (tx, update: StoredAccountUpdate): Promise<boolean> => {
    const { gatewayId, at, facts, notice } = update;
    const before = await tx.db
      .selectFrom("gateway_account_updates")
      .selectAll()
      .where("gateway_id", "=", gatewayId)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    const known: Facts = before === undefined ? {} : (JSON.parse(before.facts) as Facts);
    const { number = null } = known;
    if (update.aboutNumber !== null && number !== null && number !== update.aboutNumber) return false;
    const isNewer = at >= (before?.changed_at ?? 0);
    const noticedAt = before?.noticed_at ?? 0;
    const isNewNotice =
      notice !== null && (at > noticedAt || (at === noticedAt && notice !== before?.notice));
    const row = {
      facts: JSON.stringify(isNewer ? { ...known, ...facts } : { ...facts, ...known }),
      notice: isNewNotice ? notice : (before?.notice ?? null),
      noticed_at: isNewNotice ? at : (before?.noticed_at ?? null),
      changed_at: Math.max(at, before?.changed_at ?? 0),
    };
    await tx.db
      .insertInto("gateway_account_updates")
      .values({ gateway_id: gatewayId, ...row })
      .onConflict((conflict) => conflict.column("gateway_id").doUpdateSet(row))
      .execute();
    tx.changes.topic(gatewayId, "gateways");
    // A notice that is out of date says nothing about now, and a repeated one must not undo what an operator did since.
    if (notice !== null && !isNewNotice) return false;
    return await changePause(tx, update);
  },
);

async function changePause(tx: Tx, { gatewayId, notice, pauseUntil, lifted, now }: StoredAccountUpdate) {
  const isPause = pauseUntil !== null && pauseUntil > now;
  if (!isPause && !lifted) return false;
  const lane = await tx.db
    .selectFrom("lanes")
    .selectAll()
    .where("id", "=", gatewayId)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
  if (lane === undefined) return false;
  const until = isPause ? pauseUntil : now;
  const isLonger = until > (lane.paused_until ?? 0);
  if (isPause ? !isLonger : lane.paused_since === null || isLonger) return false;
  const revision = lane.revision + 1;
  await tx.db
    .updateTable("lanes")
    .set({
      paused_until: until,
      pause_reason: isPause ? notice : lane.pause_reason,
      pauses: Math.max(lane.pauses, 1),
      paused_since: lane.paused_since ?? now,
      revision,
    })
    .where("id", "=", gatewayId)
    .execute();
  tx.changes.add("lanes", "pauses");
  // For the account, a gateway that an operator paused is already paused.
  if (lane.paused_since === null && lane.operator_paused_at === null) {
    const event = { id: eventIdOf(gatewayId, `held_${revision}`), type: "gateway.paused" as const };
    await recordGatewayEvent(tx, { ...event, gatewayId, at: now, reason: notice });
  }
  return true;
}

// Slows down a phone that reports that it may not send so fast: its pace is halved, and doubles again after each hour without such a
// failure. This is stored, so that a restarted process does not run into the same limit.

import type { Tx } from "#store/database.ts";
import type { PhoneSlowdownsTable } from "#store/schema/phones.ts";

/** How long the phone must send without such a failure before its pace doubles. */
const hourMs = 3_600_000;
/** From one message in 6 s, the slowest is one in 6 min: fewer than any known limit. */
const maxHalvings = 6;
/** A gateway without its own pace is slowed down from one message per second. */
const minGapMs = 1_000;

export type Slowdown = Pick<PhoneSlowdownsTable, "halvings" | "since">;

/** How often the pace is halved at an instant, epoch ms; null if it never was. */
export function halvingsAt(slowdown: Slowdown | null, at: number): number {
  if (slowdown === null) return 0;
  return Math.max(0, slowdown.halvings - Math.max(0, Math.floor((at - slowdown.since) / hourMs)));
}

/** When the full pace is restored, epoch ms. */
export const slowUntil = ({ halvings, since }: Slowdown): number => since + halvings * hourMs;

/** The interval between two messages, ms, with the pace halved this many times. */
export const slowedGap = (gapMs: number, halvings: number): number =>
  halvings === 0 ? gapMs : Math.max(gapMs, minGapMs) * 2 ** halvings;

export async function readSlowdown(tx: Tx, gatewayId: string): Promise<Slowdown | null> {
  const row = await tx.db
    .selectFrom("phone_slowdowns")
    .select(["halvings", "since"])
    .where("gateway_id", "=", gatewayId)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Halves the pace of a gateway once more. Messages that the phone already had at the last halving fail for the same reason and do not
 * count: `handedAt` is when the message was handed over. The gateway's lane must be locked. Returns how often it is now halved.
 */
export async function slowDown(
  tx: Tx,
  { gatewayId, handedAt, at }: { gatewayId: string; handedAt: number; at: number },
): Promise<number> {
  const before = await readSlowdown(tx, gatewayId);
  const halvings = halvingsAt(before, at);
  if (before !== null && halvings > 0 && handedAt <= before.since) return halvings;
  const row = { halvings: Math.min(maxHalvings, halvings + 1), since: at };
  await tx.db
    .insertInto("phone_slowdowns")
    .values({ gateway_id: gatewayId, ...row })
    .onConflict((conflict) => conflict.column("gateway_id").doUpdateSet(row))
    .execute();
  return row.halvings;
}

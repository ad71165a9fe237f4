// Events of pools: a member goes down or is available again; a budget runs low.

import { sql } from "kysely";
import type { EventData } from "#contract/events/shapes.ts";
import { writeOperation } from "#store/database.ts";
import type { BudgetNoticesTable } from "#store/schema/pools.ts";
import { eventIdOf, recordEvents } from "#store/webhooks/outbox.ts";

/** Records the event for the account's webhook endpoints. `id` identifies the change. */
export const recordMemberEvent = writeOperation(
  "recordMemberEvent",
  async (
    tx,
    input: {
      id: string;
      accountId: string;
      type: "pool.member_down" | "pool.member_up";
      at: number;
      data: EventData["pool.member_down"];
    },
  ) => {
    const { id, accountId, type, at, data } = input;
    tx.changes.topic(accountId, "pools");
    await recordEvents(tx, [{ id: eventIdOf(id, "member"), accountId, type, at, data }]);
  },
);

export interface LowBudget {
  /** Identifies the event. */
  id: string;
  accountId: string;
  /** The key, pool or account whose budget it is. */
  ownerId: string;
  bound: BudgetNoticesTable["bound"];
  /** The day or month of the account's time zone. */
  period: string;
  at: number;
  data: EventData["budget.low"];
}

/** Records that a budget runs low, once a period, whichever process notices first. True if it was not recorded before. */
export const recordLowBudget = writeOperation("recordLowBudget", async (tx, input: LowBudget) => {
  const { id, accountId, ownerId, bound, period, at, data } = input;
  const { rows } = await sql`
    insert into budget_notices (owner_id, bound, period) values (${ownerId}, ${bound}, ${period})
    on conflict (owner_id, bound) do update set period = excluded.period
    where budget_notices.period < excluded.period
    returning owner_id
  `.execute(tx.db);
  if (rows.length === 0) return false;
  await recordEvents(tx, [{ id: eventIdOf(id, "budget"), accountId, type: "budget.low", at, data }]);
  return true;
});

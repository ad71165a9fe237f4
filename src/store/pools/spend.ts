// What keys, pools and accounts spent in a local day and its month; budgets are compared with it.

import { sql } from "kysely";
import { costInMillionths } from "#contract/cost.ts";
import { readOperation } from "#store/database.ts";

/** The spend of a pool or an account, in the form of `readSpend`. */
export const readSharedSpend = readOperation(
  "readSharedSpend",
  async (tx, input: { ownerId: string; day: string; month: string }) => {
    const { ownerId, day, month } = input;
    const { rows } = await sql<Spent>`
      select sum(case when day = ${day} then tokens else 0 end) as today, sum(tokens) as month, sum(cost) as cost, sum(cost_rest) as rest
      from ${tx.indexed("spend_days")}
      where owner_id = ${ownerId} and day >= ${`${month}-01`} and day <= ${`${month}-31`}
    `.execute(tx.db);
    return spendOf(rows[0]);
  },
);

/** Null if there are no rows. */
interface Spent {
  today: number | null;
  month: number | null;
  cost: number | null;
  rest: number | null;
}

function spendOf(sums: Spent | undefined) {
  return {
    tokensToday: Number(sums?.today ?? 0),
    tokensThisMonth: Number(sums?.month ?? 0),
    costThisMonth: costInMillionths({ cost: Number(sums?.cost ?? 0), cost_rest: Number(sums?.rest ?? 0) }),
  };
}

/** The spend that a budget is compared with. `day`: a local day; `month`: such as `2026-11`. Costs in millionths. */
export const readSpend = readOperation(
  "readSpend",
  async (tx, input: { keyId: string; day: string; month: string }) => {
    const { keyId, day, month } = input;
    const { rows } = await sql<Spent>`
      select sum(case when day = ${day} then prompt_tokens + completion_tokens else 0 end) as today,
        sum(prompt_tokens + completion_tokens) as month, sum(cost) as cost, sum(cost_rest) as rest
      from ${tx.indexed("usage_days")} where key_id = ${keyId} and day >= ${`${month}-01`} and day <= ${`${month}-31`}
    `.execute(tx.db);
    return spendOf(rows[0]);
  },
);

/** The spend of keys by id; a key without calls is absent. `day` and `month` as in `readSpend`. */
export const readKeyUse = readOperation(
  "readKeyUse",
  async (tx, input: { keyIds: readonly string[]; day: string; month: string }) => {
    const { keyIds, day, month } = input;
    if (keyIds.length === 0) return [];
    const ids = tx.list([...keyIds]);
    const { rows: spent } = await sql<Spent & { key_id: string; unpriced: number }>`
      select key_id, sum(case when day = ${day} then prompt_tokens + completion_tokens else 0 end) as today,
        sum(prompt_tokens + completion_tokens) as month, sum(cost) as cost, sum(cost_rest) as rest, sum(unpriced) as unpriced
      from ${tx.indexed("usage_days")}
      where key_id in ${ids} and day >= ${`${month}-01`} and day <= ${`${month}-31`} group by key_id
    `.execute(tx.db);
    const { rows: last } = await sql<{ id: string; at: number | null }>`
      select id, (
        select at from ${tx.indexed("completions", "completions_keyed")}
        where completions.key_id = pool_keys.id order by completions.id desc limit 1
      ) as at from pool_keys where id in ${ids}
    `.execute(tx.db);
    const sums = new Map(spent.map((row) => [row.key_id, row]));
    return last.map(({ id, at }) => ({
      id,
      at: at === null ? null : Number(at),
      ...spendOf(sums.get(id)),
      unpricedThisMonth: Number(sums.get(id)?.unpriced ?? 0),
    }));
  },
);

// A database from before counts calls without a price, and its budgets of cost go on as they were.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutUnpricedCalls } from "../undone.ts";

const open = JSON.stringify({ budget: { tokens_per_day: 5, cost_per_month: null } });
const bound = JSON.stringify({
  models: ['"cost_per_month":7'],
  budget: { cost_per_month: 12.5, low_percent: 80 },
});
const allowing = JSON.stringify({
  models: ['"cost_per_month":7'],
  budget: { unpriced: "allow", cost_per_month: 12.5, low_percent: 80 },
});

for (const engine of engines) {
  test(`budgets of cost from before allow models without a price, and others have no choice yet, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutUnpricedCalls) await place.exec(statement);
      await place.exec("delete from migrations where id >= 24");
      const key = (id: string, rules: string) =>
        `insert into pool_keys (id, pool_id, account_id, name, hash, hint, rules, revision, created_at, updated_at)
         values ('${id}', 'p', 'a', '${id}', '${id}', 'h', '${rules}', 1, 1, 1)`;
      await place.exec(
        `insert into accounts (id, name, time_zone, plan_name, ai_budget, created_at, updated_at)
         values ('a', 'a', 'UTC', 'free', '${bound}', 1, 1)`,
      );
      await place.exec(
        `insert into pools (id, account_id, name, rules, revision, created_at, updated_at) values ('p', 'a', 'p', '${bound}', 1, 1, 1)`,
      );
      await place.exec(key("k1", bound));
      await place.exec(key("k2", open));
      await place.open();
      /** Fails unless the column has this text: a name must not be null. */
      const has = async (table: string, id: string, column: string, text: string) =>
        await place.exec(
          `update ${table} set name = case when ${column} = '${text}' then name else null end where id = '${id}'`,
        );
      await has("accounts", "a", "ai_budget", allowing);
      await has("pools", "p", "rules", allowing);
      await has("pool_keys", "k1", "rules", allowing);
      await has("pool_keys", "k2", "rules", open);
      await assert.rejects(has("pools", "p", "rules", bound));
      for (const table of ["usage_days", "usage_hours", "usage_parts", "usage_labels"])
        await place.exec(`select unpriced from ${table}`);
    } finally {
      await place.drop();
    }
  });
}

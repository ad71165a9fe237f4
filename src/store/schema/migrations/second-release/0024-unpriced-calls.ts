// Calls without a known price are counted, and budgets of cost choose what becomes of them. Those from before allow them, as they did.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

const sums = ["usage_days", "usage_hours", "usage_parts", "usage_labels"];

/** The columns with budgets. */
const budgets = [
  ["pools", "rules"],
  ["pool_keys", "rules"],
  ["accounts", "ai_budget"],
] as const;

/** The name of a field as JSON has it. In a string of JSON, a backslash would stand before the second quote. */
const bound = '"cost_per_month":';

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    ...sums.map((table) => `alter table ${table} add column unpriced bigint not null default 0`),
    ...budgets.map(
      ([table, column]) =>
        `update ${table} set ${column} = replace(${column}, '${bound}', '"unpriced":"allow",${bound}')
         where ${column} like '%${bound}%' and ${column} not like '%${bound}null%'`,
    ),
  ]);
}

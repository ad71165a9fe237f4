// Costs below a millionth of the currency unit, tokens of prompt caches, and whose price it was. Costs from before are whole
// millionths.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

const costs = ["completions", "usage_days", "usage_hours", "usage_labels", "spend_days"];

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    ...costs.map((table) => `alter table ${table} add column cost_rest bigint not null default 0`),
    "alter table completions add column cached_tokens bigint not null default 0",
    "alter table completions add column cache_write_tokens bigint not null default 0",
    "alter table completions add column price_source text",
  ]);
}

// Keys of pools are rotated with an overlap: the text before works for a time.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    "alter table pool_keys add column previous_hash text",
    "alter table pool_keys add column previous_works_until bigint",
    "create unique index pool_keys_previous on pool_keys (previous_hash)",
  ]);
}

// The bytes of the results that a pool keeps, by key, are summed in an index.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    "create index deferred_completions_kept on deferred_completions (pool_id, key_id, bytes) where due_at is null",
  ]);
}

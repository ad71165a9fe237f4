// What callers write on messages for themselves.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `alter table messages add column reference text`,
    `alter table messages add column metadata text`,
    `create index messages_reference on messages (account_id, reference, id) where reference is not null`,
  ]);
}

// When a management token ends, and when it was last used. Null if never.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    "alter table management_tokens add column expires_at bigint",
    "alter table management_tokens add column last_used_at bigint",
  ]);
}

// When a limit or a budget of a key last refused a call, and until when.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    "alter table refused_calls add column last_at bigint",
    "alter table refused_calls add column retry_at bigint",
  ]);
}

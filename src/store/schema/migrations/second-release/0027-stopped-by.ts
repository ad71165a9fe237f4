// Who stopped a gateway, and since when it has failed although an operator had it tried meanwhile.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    "alter table lanes add column operator_paused_by text",
    "alter table lanes add column failing_since bigint",
  ]);
}

// The scopes of management tokens; null: all that the role may, which is what earlier ones have.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, ["alter table management_tokens add column scopes text"]);
}

// The scopes of management tokens; null for all that the role may, as earlier ones have.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, ["alter table management_tokens add column scopes text"]);
}

// The API in which a call came. Calls from before have none.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, ["alter table completions add column api text"]);
}

// Who tried a pool without a key. Calls from before are those of keys.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, ["alter table completions add column person text"]);
}

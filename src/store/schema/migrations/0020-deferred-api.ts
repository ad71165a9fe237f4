// The API in which a deferred completion was asked for; null if it is not known, as for earlier ones.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, ["alter table deferred_completions add column api text"]);
}

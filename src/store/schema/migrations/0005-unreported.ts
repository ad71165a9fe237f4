// Items that a phone did not report in time are found by their time.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [`create index phone_items_over on phone_items (valid_until) where open = 1`]);
}

// How long a pool waits for a whole answer of one member while another is left; null: half of what is left of the deadline.

import type { Tx } from "#store/database.ts";
import { define } from "./dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [`alter table pools add column answer_ms bigint`]);
}

// How acceptance counts the parts of a gateway's texts. A gateway from before gets it when its lane opens.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [`alter table gateways add column counting text`]);
}

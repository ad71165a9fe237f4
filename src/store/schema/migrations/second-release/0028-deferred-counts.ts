// How many attempts were deferred, beside the other counts of messages. Earlier ones were not counted.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, ["alter table message_counts add column deferred bigint not null default 0"]);
}

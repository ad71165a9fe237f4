// Messages of several parts of which some were reported as delivered, and when the wait for the others ends.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table partly_delivered (message_id text primary key, until bigint not null) clustered`,
    `create index partly_delivered_until on partly_delivered (until)`,
  ]);
}

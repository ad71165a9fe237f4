// What was asked and answered in calls, for pools with a content log.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table call_contents (
      call_id text primary key, account_id text not null, pool_id text not null, stored_at bigint not null, bytes bigint not null,
      content text not null
    )`,
    `create index call_contents_pool on call_contents (pool_id, stored_at)`,
  ]);
}

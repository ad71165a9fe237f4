// Gateways that are deleted once their last message has ended, and the names of those that are gone.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `alter table gateways add column draining_at bigint`,
    `create index gateways_draining on gateways (id) where draining_at is not null`,
    `create table deleted_gateways (
      id text primary key, account_id text not null, identifier text not null, channel text not null, kind text not null,
      deleted_at bigint not null
    )`,
    `create index deleted_gateways_account on deleted_gateways (account_id, deleted_at)`,
  ]);
}

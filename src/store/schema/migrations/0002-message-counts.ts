// Counts of what happens to messages, for the statistics.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table message_counts (
      account_id text not null, step text not null, at bigint not null, gateway_id text not null, channel text not null,
      accepted bigint not null, sent bigint not null, delivered bigint not null, read bigint not null,
      undelivered bigint not null, failed bigint not null, bounced bigint not null, expired bigint not null,
      cancelled bigint not null, suppressed bigint not null, unknown bigint not null, waits text not null,
      deliveries text not null, primary key (account_id, step, at, gateway_id)
    ) clustered`,
    `create index message_counts_step on message_counts (step, at)`,
  ]);
}

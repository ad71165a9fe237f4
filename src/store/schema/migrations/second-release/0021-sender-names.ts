// Who a sender is, where a network names people otherwise than the messages to them do.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table sender_names (
      gateway_id text not null, sender text not null, recipient text not null, shown_at bigint not null,
      primary key (gateway_id, sender, recipient)
    ) clustered`,
    `create index sender_names_age on sender_names (shown_at)`,
    `create index sender_names_recipient on sender_names (gateway_id, recipient)`,
  ]);
}

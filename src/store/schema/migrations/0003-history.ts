// What is kept of attempts that were not accepted, the pauses of gateways, and when each gateway last reported.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `alter table message_events add column attempt text`,
    `create table gateway_pauses (
      gateway_id text not null, since bigint not null, until bigint, reason text, primary key (gateway_id, since)
    ) clustered`,
    `create table gateway_reports (gateway_id text primary key, at bigint not null) clustered`,
  ]);
}

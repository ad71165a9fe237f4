// Spreads of phones: which messages came through one, and which phone each recipient has.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `alter table messages add column spread_id text`,
    `create table spread_choices (
      key text primary key, gateway_id text not null, chosen_at bigint not null
    ) clustered`,
    `create index spread_choices_age on spread_choices (chosen_at)`,
  ]);
}

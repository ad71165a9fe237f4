// Gateways of phones that may not send so fast as their pace says.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table phone_slowdowns (
      gateway_id text primary key, halvings bigint not null, since bigint not null
    ) clustered`,
  ]);
}

// What proves a provider's call and is good for one event.

import type { Tx } from "#store/database.ts";
import { define } from "./dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table callback_proofs (
      proof text primary key, event text not null, expires_at bigint not null
    ) clustered`,
    `create index callback_proofs_ended on callback_proofs (expires_at)`,
  ]);
}

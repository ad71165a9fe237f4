// Sessions of gateways that hold a connection.

import type { Tx } from "#store/database.ts";
import { define } from "./dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table gateway_sessions (
      gateway_id text primary key, status text not null, reason text, pairing text, pairing_expires_at bigint,
      linked_at bigint, changed_at bigint not null
    ) clustered`,
    `alter table lanes add column wanted_by text`,
    `create table gateway_values (
      gateway_id text not null, key text not null, value text not null, primary key (gateway_id, key)
    ) clustered`,
  ]);
}

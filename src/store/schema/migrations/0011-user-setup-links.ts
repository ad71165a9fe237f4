// One-time links with which users choose their passwords: one for each user, as a hash.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table user_setup_links (
      user_id text primary key references users (id), hash text not null unique, created_at bigint not null, expires_at bigint not null
    )`,
  ]);
}

// Hooks, which make messages of what other programs post.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table hooks (
      id text primary key, account_id text not null references accounts (id), name text not null,
      hash text not null, hint text not null, rules text not null,
      last_body text, last_received_at bigint, last_outcome text,
      revision bigint not null, created_at bigint not null, updated_at bigint not null
    )`,
    `create unique index hooks_name on hooks (account_id, name)`,
    `create unique index hooks_hash on hooks (hash)`,
  ]);
}

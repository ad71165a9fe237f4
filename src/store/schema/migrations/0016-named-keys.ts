// API keys with a name, and what is known of the personal one: its hint, its last use, and how long an earlier one works.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table named_keys (
      id text primary key, account_id text not null references accounts (id), name text not null,
      hash text not null, hint text not null, previous_hash text, previous_works_until bigint,
      rules text not null, expires_at bigint, revoked_at bigint, last_used_at bigint,
      revision bigint not null, created_at bigint not null, updated_at bigint not null
    )`,
    `create unique index named_keys_name on named_keys (account_id, name)`,
    `create unique index named_keys_hash on named_keys (hash)`,
    `create unique index named_keys_previous on named_keys (previous_hash)`,
    `create index named_keys_account on named_keys (account_id, id)`,
    `alter table api_keys add column hint text`,
    `alter table api_keys add column works_until bigint`,
    `alter table api_keys add column last_used_at bigint`,
  ]);
}

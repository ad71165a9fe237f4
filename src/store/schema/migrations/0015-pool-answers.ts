// Answers that serve more than one request, and which calls were answered by them.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table pool_answers (
      name text primary key, pool_id text not null, key_id text not null, bytes bigint not null, expires_at bigint not null,
      owner text, fingerprint text not null, answer text
    )`,
    `create index pool_answers_size on pool_answers (pool_id, key_id, bytes)`,
    `create index pool_answers_expires on pool_answers (expires_at)`,
    `alter table completions add column reused text`,
  ]);
}

// The AI half: pools with their members and keys, what was used, and limits that several processes share.

import type { Tx } from "#store/database.ts";
import { define } from "./dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table pools (
      id text primary key, account_id text not null references accounts (id), name text not null,
      strict_models bigint not null, answer_model text not null, stream_mode text not null,
      headers_after_ms bigint not null, deadline_ms bigint not null, revision bigint not null,
      created_at bigint not null, updated_at bigint not null, unique (account_id, name)
    )`,
    `create table pool_members (
      id text primary key, pool_id text not null references pools (id), account_id text not null, name text not null,
      kind text not null, active bigint not null, models text not null, embedding_models text not null, context_tokens bigint,
      priority bigint not null, weight bigint not null, settings text not null, timeouts text not null,
      input_price bigint, output_price bigint, created_at bigint not null, updated_at bigint not null, unique (pool_id, name)
    )`,
    `create table pool_keys (
      id text primary key, pool_id text not null references pools (id), account_id text not null, name text not null,
      hash text not null unique, hint text not null, models text, requests_per_minute bigint, tokens_per_minute bigint,
      concurrency bigint, tokens_per_day bigint, tokens_per_month bigint, cost_per_month bigint,
      expires_at bigint, revoked_at bigint, created_at bigint not null, updated_at bigint not null, unique (pool_id, name)
    )`,
    `create table completions (
      id text primary key, account_id text not null, pool_id text not null, key_id text not null, at bigint not null,
      kind text not null, stream bigint not null, status bigint not null, member text, model text, attempts text not null,
      prompt_tokens bigint not null, completion_tokens bigint not null, estimated bigint not null, cost bigint not null,
      first_byte_ms bigint, ms bigint not null
    )`,
    `create index completions_recent on completions (pool_id, id)`,
    `create index completions_keyed on completions (key_id, id)`,
    `create table usage_days (
      key_id text not null, member text not null, day text not null, account_id text not null, pool_id text not null,
      requests bigint not null, errors bigint not null, prompt_tokens bigint not null, completion_tokens bigint not null,
      cost bigint not null, latencies text not null, first_bytes text not null, primary key (key_id, day, member)
    ) clustered`,
    `create index usage_days_pool on usage_days (pool_id, day)`,
    // Several processes on one PostgreSQL: one bucket a key and kind, one row a request under way.
    `create table key_buckets (
      key_id text not null, kind text not null, used bigint not null, at bigint not null, primary key (key_id, kind)
    ) clustered`,
    `create table key_slots (
      key_id text not null, slot text not null, until bigint not null, primary key (key_id, slot)
    ) clustered`,
  ]);
}

// What pools were asked, hour by hour and part by part, and the calls that a limit or a budget refused.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table usage_parts (
      key_id text not null, hour text not null, part text not null, day text not null, member text not null,
      model text not null, status text not null, account_id text not null, pool_id text not null,
      requests bigint not null, errors bigint not null, failed_over bigint not null, prompt_tokens bigint not null,
      completion_tokens bigint not null, cost bigint not null, cost_rest bigint not null, latencies text not null, first_bytes text not null,
      primary key (key_id, hour, part)
    ) clustered`,
    `create index usage_parts_pool on usage_parts (pool_id, hour)`,
    `create index usage_parts_hour on usage_parts (hour)`,
    `create table refused_calls (
      key_id text not null, hour text not null, part text not null, day text not null, refused_by text not null,
      account_id text not null, pool_id text not null, calls bigint not null,
      primary key (key_id, hour, part)
    ) clustered`,
    `create index refused_calls_pool on refused_calls (pool_id, hour)`,
    `create index refused_calls_hour on refused_calls (hour)`,
  ]);
}

// Small builders of pools, members, keys and calls for the store's tests. Every row is made through the store itself.

import assert from "node:assert/strict";
import type { Database } from "#store/database.ts";
import { savePoolKey } from "#store/pools/keys.ts";
import { saveMember, savePool } from "#store/pools/pools.ts";
import type { CallFilter, UsedCall } from "#store/pools/usage.ts";
import type {
  CallContentsTable,
  DeferredCompletionsTable,
  PoolAnswersTable,
  PoolKeysTable,
  PoolMembersTable,
  PoolsTable,
} from "#store/schema/pools.ts";
import { fresh, makeAccount, now } from "./rows.ts";

export function poolRow(accountId: string, columns: Partial<PoolsTable> = {}): PoolsTable {
  const id = columns.id ?? fresh("pool");
  return {
    id,
    account_id: accountId,
    name: `name of ${id}`,
    rules: "{}",
    revision: 0,
    created_at: now,
    updated_at: now,
    ...columns,
  };
}

export function memberRow(
  of: { accountId: string; poolId: string },
  columns: Partial<PoolMembersTable> = {},
): PoolMembersTable {
  const id = columns.id ?? fresh("mem");
  return {
    id,
    pool_id: of.poolId,
    account_id: of.accountId,
    name: `name of ${id}`,
    kind: "sandbox",
    rules: '{"models":["echo"]}',
    settings: "sealed",
    revision: 0,
    created_at: now,
    updated_at: now,
    ...columns,
  };
}

export function keyRow(
  of: { accountId: string; poolId: string },
  columns: Partial<PoolKeysTable> = {},
): PoolKeysTable {
  const id = columns.id ?? fresh("key");
  return {
    id,
    pool_id: of.poolId,
    account_id: of.accountId,
    name: `name of ${id}`,
    hash: `hash of ${id}`,
    hint: "tlp_…abcd",
    previous_hash: null,
    previous_works_until: null,
    rules: "{}",
    expires_at: null,
    revoked_at: null,
    revision: 0,
    created_at: now,
    updated_at: now,
    ...columns,
  };
}

export interface Pooled {
  accountId: string;
  poolId: string;
  keyId: string;
  memberId: string;
}

/** An account with a pool, which has a member and a key. */
export async function makePool(
  database: Database,
  columns: { pool?: Partial<PoolsTable>; key?: Partial<PoolKeysTable> } = {},
): Promise<Pooled> {
  const accountId = await makeAccount(database);
  const pool = poolRow(accountId, columns.pool);
  assert.equal(await database.run(savePool, pool), "saved");
  const of = { accountId, poolId: pool.id };
  const member = memberRow(of);
  assert.equal(await database.run(saveMember, member), "saved");
  const key = keyRow(of, columns.key);
  assert.equal(await database.run(savePoolKey, key), "saved");
  return { ...of, keyId: key.id, memberId: member.id };
}

export function callRow(of: Pooled, columns: Partial<UsedCall> = {}): UsedCall {
  return {
    id: fresh("cmp"),
    account_id: of.accountId,
    pool_id: of.poolId,
    key_id: of.keyId,
    at: now,
    kind: "chat",
    stream: 0,
    status: 200,
    member: "primary",
    model: "echo",
    attempts: "[]",
    prompt_tokens: 10,
    completion_tokens: 20,
    estimated: 0,
    cost: 7,
    cost_rest: 0,
    cached_tokens: 0,
    cache_write_tokens: 0,
    price_source: "set",
    first_byte_ms: 100,
    ms: 1_000,
    failed_over: 0,
    end_user: null,
    tags: "[]",
    client_request_id: null,
    api: null,
    person: null,
    reused: null,
    day: "2027-01-15",
    ...columns,
  };
}

/** A deferred completion that is due. */
export function deferredRow(
  of: Pick<Pooled, "accountId" | "keyId" | "poolId">,
  columns: Partial<DeferredCompletionsTable> = {},
): DeferredCompletionsTable {
  return {
    id: fresh("cmp"),
    account_id: of.accountId,
    pool_id: of.poolId,
    key_id: of.keyId,
    api: "chat_completions",
    status: "queued",
    priority: 0,
    due_at: now,
    attempts: 0,
    expires_at: now + 86_400_000,
    bytes: 100,
    request: "sealed",
    result: null,
    scheduled_for: now,
    created_at: now,
    finished_at: null,
    ...columns,
  };
}

/** An answer that is kept. */
export function answerRow(
  of: Pick<Pooled, "keyId" | "poolId">,
  columns: Partial<PoolAnswersTable> = {},
): PoolAnswersTable {
  return {
    name: fresh("answer"),
    pool_id: of.poolId,
    key_id: of.keyId,
    bytes: 100,
    expires_at: now + 60_000,
    owner: null,
    fingerprint: "f",
    answer: "sealed",
    ...columns,
  };
}

/** What was asked and answered in a call, sealed. */
export function contentRow(
  of: Pick<Pooled, "accountId" | "poolId">,
  columns: Partial<CallContentsTable> = {},
): CallContentsTable {
  return {
    call_id: fresh("req"),
    account_id: of.accountId,
    pool_id: of.poolId,
    stored_at: now,
    bytes: 6,
    content: "sealed",
    ...columns,
  };
}

/** Every call, for `listCalls`. */
export const anyCall = {
  keyId: null,
  status: null,
  member: null,
  model: null,
  failedOver: null,
  user: null,
  tag: null,
  failedBy: null,
  api: null,
  at: null,
  from: null,
} satisfies CallFilter & { from: null };

// A harness's account with a pool of sandbox members, whose answers take time on the harness's clock alone, and
// what its usage says.

import assert from "node:assert/strict";
import type { z } from "zod";
import { upsertPool } from "#configure/pool.ts";
import { poolInput } from "#contract/manage/pools/pools.ts";
import { listCalls } from "#store/pools/usage.ts";
import { readUsage, type UsageBy } from "#store/pools/usage-groups.ts";
import type { Harness } from "../harness.ts";
import { inject } from "../inject.ts";
import { anyCall } from "../store/pool-rows.ts";

/** The key's text where a story has one key. */
export const keyText = "tlp_0123456789abcdef0123456789abcdef";

export const sandboxMember = { name: "main", kind: "sandbox", models: ["echo", "slow", "failing", "cut"] };

export interface PoolOf {
  accountId: string;
  poolId: string;
}

/** Makes (or changes) the account's pool `default`. */
export async function makePool(
  it: Harness,
  input: Partial<z.input<typeof poolInput>> = {},
  accountId?: string,
): Promise<PoolOf> {
  const id = accountId ?? (await it.account()).id;
  const asked = { name: "default", members: [sandboxMember], keys: [{ name: "app", key: keyText }] };
  const result = await upsertPool(it.system.core, id, poolInput.parse({ ...asked, ...input }));
  assert.ok(result.kind === "saved", JSON.stringify(result));
  await it.settle();
  return { accountId: id, poolId: result.id };
}

/** Asks for a completion, as a client does. */
export const ask = (it: Harness, body: object = {}, key = keyText) =>
  inject(it.system.app, {
    method: "POST",
    url: "/api/ai/v1/chat/completions",
    headers: { authorization: `Bearer ${key}` },
    payload: { model: "echo", messages: [{ role: "user", content: "hello there" }], ...body },
  });

/** The status, and the code of an error. */
export const outcomeOf = (reply: { statusCode: number; body: string }) => {
  if (reply.statusCode === 200) return "200";
  const { error } = JSON.parse(reply.body) as { error: { code: string } };
  return `${reply.statusCode} ${error.code}`;
};

/** The pool's calls, newest first. */
export async function callsOf(it: Harness, { accountId, poolId }: PoolOf) {
  const asked = {
    accountId,
    poolId,
    ...anyCall,
    before: null,
    limit: 1_000,
    maxScanned: 1_000,
  };
  return (await it.system.database.run(listCalls, asked)).rows;
}

/** The pool's sums of all days. */
export async function sumsOf(it: Harness, of: PoolOf, by: UsageBy = "key") {
  return await it.system.database.run(readUsage, { ...of, from: "2000-01-01", to: "2999-12-31", by });
}

// Keys of pools: shown once, stored as a hash, and revoked for good.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput } from "#configure/account.ts";
import { pools } from "#configure/pool.ts";
import { keys, keyTextOf, revokeKey } from "#configure/pool-key.ts";
import type { PoolRef } from "#configure/pool-member.ts";
import { keyChanges, keyFields } from "#contract/manage/pools/keys.ts";
import { poolFields } from "#contract/manage/pools/pools.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findPoolKey } from "#store/pools/keys.ts";
import { findPoolByKey } from "#store/pools/pools.ts";
import type { PoolKeysTable } from "#store/schema/pools.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
let of: PoolRef;
before(async () => {
  open = await openConfiguring();
  const accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
  const made = await pools.create(open.deps, { accountId }, poolFields.parse({ name: "default" }));
  assert.ok(made.kind === "saved");
  of = { accountId, poolId: made.id };
});
after(() => open.close());

async function configure(name: string, rest: object = {}, existing: PoolKeysTable | null = null) {
  const fields = keyFields.parse({ name, ...rest });
  const { key, issued } = keyTextOf(open.deps, fields, existing);
  const stored = await keys.put(open.deps, of, { ...fields, key }, existing);
  return stored.kind === "saved" ? { ...stored, issuedKey: issued } : stored;
}
/** The fields of a stored key beside its name. */
function rulesOf(row: PoolKeysTable) {
  const { name: _, ...rules } = keys.fieldsOf(open.deps.sealer, row);
  return rules;
}
async function make(name: string, rest: object = {}): Promise<{ row: PoolKeysTable; made: string | null }> {
  const result = await configure(name, rest);
  assert.ok(result.kind === "saved");
  return { row: await rowOf(result.id), made: result.issuedKey };
}
const rowOf = async (id: string) => {
  const row = await open.deps.database.run(findPoolKey, { ...of, id });
  assert.ok(row);
  return row;
};
const works = async (text: string) =>
  (await open.deps.database.run(findPoolByKey, hashSecret(text))) !== null;

const text = (letter: string) => `tlp_${letter.repeat(40)}`;

test("a key that is made has 256 bits, and is nowhere but in the answer", async () => {
  const { row, made } = await make("app");
  assert.match(made!, /^tlp_[\w-]{43}$/);
  assert.equal(row.hash, hashSecret(made!));
  assert.equal(row.hint, `tlp_…${made!.slice(-4)}`);
  assert.ok(!open.dump().includes(made!.slice(4)));
  assert.ok(await works(made!));
  assert.notEqual((await make("second")).made, made);
});

test("one that is given is not told again", async () => {
  const { made } = await make("given", { key: text("g") });
  assert.equal(made, null);
  assert.ok(await works(text("g")));
  assert.ok(!open.dump().includes(text("g")));
});

test("its bounds are stored as they were given, and change one at a time", async () => {
  const bounds = {
    models: ["echo"],
    limits: { requests_per_minute: 40, tokens_per_minute: 1_000, concurrency: 2 },
    budget: { tokens_per_day: 5, tokens_per_month: 6, cost_per_month: 12.345678, unpriced: "refuse" },
    expires_at: "2027-01-01T00:00:00.000Z",
  };
  const { row } = await make("bound", bounds);
  assert.deepEqual(rulesOf(row), bounds);
  const change = async (changes: object) => {
    const result = await keys.update(open.deps, of, row.id, keyChanges.parse(changes));
    assert.deepEqual(result, { kind: "saved", id: row.id });
    return rulesOf(await rowOf(row.id));
  };
  assert.deepEqual(await change({}), bounds);
  assert.deepEqual(
    await change({
      models: null,
      limits: { concurrency: null },
      budget: { tokens_per_day: 7 },
      expires_at: null,
    }),
    {
      models: null,
      limits: { ...bounds.limits, concurrency: null },
      budget: { ...bounds.budget, tokens_per_day: 7 },
      expires_at: null,
    },
  );
  assert.deepEqual(rulesOf((await make("free")).row), {
    models: null,
    limits: { requests_per_minute: null, tokens_per_minute: null, concurrency: null },
    budget: { tokens_per_day: null, tokens_per_month: null, cost_per_month: null, unpriced: null },
    expires_at: null,
  });
});

test("a revoked key stays so while its entry changes; another text takes its place", async () => {
  const { row } = await make("entry", { key: text("a") });
  assert.equal((await revokeKey(open.deps, of, row.id))?.id, row.id);
  assert.equal(await works(text("a")), false);
  const limits = { concurrency: 3 };
  for (const rest of [{ limits }, { key: text("a"), limits }]) {
    const again = await configure("entry", rest, await rowOf(row.id));
    assert.deepEqual(again, { kind: "saved", id: row.id, issuedKey: null });
    assert.equal(await works(text("a")), false);
  }
  assert.equal(rulesOf(await rowOf(row.id)).limits.concurrency, 3);
  assert.deepEqual(await configure("entry", { key: text("b") }, await rowOf(row.id)), {
    kind: "saved",
    id: row.id,
    issuedKey: null,
  });
  assert.deepEqual([await works(text("a")), await works(text("b"))], [false, true]);
  assert.equal((await rowOf(row.id)).hint, "tlp_…bbbb");
});

test("without a text a key that was there keeps its own", async () => {
  const { row, made } = await make("keeps");
  const again = await configure("keeps", { limits: { concurrency: 1 } }, row);
  assert.deepEqual(again, { kind: "saved", id: row.id, issuedKey: null });
  assert.ok(await works(made!));
});

test("names and texts are taken, and a pool that is not there has no keys", async () => {
  await make("taken", { key: text("t") });
  assert.equal((await configure("taken")).kind, "taken");
  assert.deepEqual(await keys.create(open.deps, of, keyFields.parse({ name: "taken", key: text("u") })), {
    kind: "invalid",
    issues: [{ path: ["name"], message: "is taken" }],
  });
  assert.deepEqual(await configure("other", { key: text("t") }), {
    kind: "invalid",
    issues: [{ path: ["key"], message: "is used by another key" }],
  });
  const nowhere = { ...of, poolId: "pool_none" };
  const notified = open.deps.notified.pools;
  assert.deepEqual(await keys.create(open.deps, nowhere, keyFields.parse({ name: "x", key: text("x") })), {
    kind: "not_found",
  });
  assert.equal(await revokeKey(open.deps, nowhere, "key_none"), null);
  assert.equal(open.deps.notified.pools, notified);
  await revokeKey(open.deps, of, (await make("last")).row.id);
  assert.equal(open.deps.notified.pools, notified + 2, "made, and revoked");
});

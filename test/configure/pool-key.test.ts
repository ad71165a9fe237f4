// Keys of pools: shown once, stored as a hash, and revoked for good.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput } from "#configure/account.ts";
import { pools } from "#configure/pool.ts";
import { keys, keyTextOf, revokeKey, rotatePoolKey } from "#configure/pool-key.ts";
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

test("a rotated key has another text and keeps its rules; the text before ends when it is said to", async () => {
  const { row, made } = await make("rotated", { models: ["echo"], limits: { requests_per_minute: 60 } });
  const { id } = row;
  const ends = async (key: string) =>
    (await open.deps.database.run(findPoolByKey, hashSecret(key)))?.key.expires_at;
  const rotated = await rotatePoolKey(open.deps, { poolRef: of, id, oldWorksHours: 168 });
  assert.ok(rotated.kind === "rotated" && rotated.key !== made);
  assert.equal(await ends(made!), open.deps.clock.now() + 168 * 3_600_000);
  assert.equal(await ends(rotated.key), null);
  assert.deepEqual(rulesOf(await rowOf(id)), rulesOf(row));
  // The text before stays the key's own while it works.
  const taken = await configure("thief", { key: made });
  assert.deepEqual(taken, {
    kind: "invalid",
    issues: [{ path: ["key"], message: "is used by another key" }],
  });
  // A change of other fields leaves both texts.
  const change = { limits: { requests_per_minute: 30 }, revision: (await rowOf(id)).revision };
  assert.equal((await keys.update(open.deps, of, id, change)).kind, "saved");
  assert.equal(await works(made!), true);
  const last = await rotatePoolKey(open.deps, { poolRef: of, id, oldWorksHours: 0 });
  assert.ok(last.kind === "rotated");
  for (const text of [made!, rotated.key]) assert.equal(await works(text), false);
  assert.equal(await works(last.key), true);
  const elsewhere = { poolRef: { ...of, accountId: "acc_other" }, id, oldWorksHours: 0 };
  assert.equal((await rotatePoolKey(open.deps, elsewhere)).kind, "not_found");
});

test("the end of a key ends the text before its rotation too; a revoked key is not rotated", async () => {
  const soon = open.deps.clock.now() + 60_000;
  const { row, made } = await make("ending", { expires_at: new Date(soon).toISOString() });
  await rotatePoolKey(open.deps, { poolRef: of, id: row.id, oldWorksHours: 24 });
  const found = await open.deps.database.run(findPoolByKey, hashSecret(made!));
  assert.equal(found?.key.expires_at, soon);
  await revokeKey(open.deps, of, row.id);
  assert.equal(await works(made!), false);
  const again = await rotatePoolKey(open.deps, { poolRef: of, id: row.id, oldWorksHours: 1 });
  assert.equal(again.kind, "conflict");
});

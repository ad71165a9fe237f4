// Whole pools, as the provisioning file has them: what is named is there afterwards, the rest is left alone, and
// nothing is changed where there is a fault.

import assert from "node:assert/strict";
import test, { afterEach, beforeEach } from "node:test";
import { accountInput } from "#configure/account.ts";
import { deletePool, poolIssues, pools, upsertPool } from "#configure/pool.ts";
import { revokeKey } from "#configure/pool-key.ts";
import { members } from "#configure/pool-member.ts";
import { maxMembers } from "#contract/limits.ts";
import { poolChanges, poolFields, poolInput } from "#contract/manage/pools/pools.ts";
import { hashSecret } from "#runtime/secret.ts";
import { storeProvisionMark } from "#store/maintenance/provisioned.ts";
import { findPoolByKey, findPoolByName, provisionKey } from "#store/pools/pools.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
let accountId: string;
beforeEach(async () => {
  open = await openConfiguring();
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
});
afterEach(() => open.close());

const member = (name: string, rest: object = {}) => ({ name, kind: "sandbox", models: ["echo"], ...rest });
const key = "tlp_0123456789abcdef0123456789abcdef";
const configure = (input: object) =>
  upsertPool(open.deps, accountId, poolInput.parse({ name: "default", ...input }));
const saved = async (input: object) => {
  const result = await configure(input);
  assert.ok(result.kind === "saved", JSON.stringify(result));
  return result;
};
const find = async (name = "default") => {
  const found = await open.deps.database.run(findPoolByName, { accountId, name });
  assert.ok(found);
  return found;
};
const issuesOf = (result: { kind: string; issues?: { path: readonly unknown[]; message: string }[] }) =>
  (result.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);

const noBudget = {
  tokens_per_day: null,
  tokens_per_month: null,
  cost_per_month: null,
  unpriced: null,
  low_percent: 80,
};

test("a pool with its members and keys is made, and made keys are shown once", async () => {
  const input = {
    strict_models: true,
    members: [member("one"), member("two", { priority: 2 })],
    keys: [{ name: "given", key }, { name: "made" }],
  };
  const { id, issuedKeys: made } = await saved(input);
  const found = await find();
  assert.deepEqual(
    [found.pool.id, pools.rulesOf(found.pool).strict_models, found.members.map(({ name }) => name)],
    [id, true, ["one", "two"]],
  );
  assert.deepEqual(
    made.map(({ name }) => name),
    ["made"],
  );
  for (const text of [key, made[0]!.key])
    assert.equal((await open.deps.database.run(findPoolByKey, hashSecret(text)))?.pool.id, id);
  assert.deepEqual((await saved(input)).issuedKeys, [], "the same again makes no key");
  assert.deepEqual(pools.fieldsOf(open.deps.sealer, (await find()).pool), {
    ...poolFields.parse({ name: "default", strict_models: true }),
    budget: noBudget,
    hedge: null,
  });
});

test("what is named changes and keeps its id, what is not named is left alone", async () => {
  await saved({ members: [member("one"), member("two")], keys: [{ name: "app", key }] });
  const before = await find();
  await saved({ deadline_ms: 5_000, members: [member("two", { weight: 7 }), member("three")] });
  const after = await find();
  assert.deepEqual([after.pool.id, pools.rulesOf(after.pool).deadline_ms], [before.pool.id, 5_000]);
  assert.deepEqual(
    after.members.map((row) => [row.name, members.rulesOf(row).weight]),
    [
      ["one", 1],
      ["two", 7],
      ["three", 1],
    ],
  );
  assert.deepEqual(
    after.members.slice(0, 2).map(({ id }) => id),
    before.members.map(({ id }) => id),
  );
  assert.deepEqual(after.keys, before.keys);
});

test("faults are reported with their places, and nothing is changed", async () => {
  await saved({ members: [member("one")], keys: [{ name: "app", key }] });
  const other = await upsertAccount(open.deps, accountInput.parse({ name: "other" }));
  const before = open.dump();
  const input = {
    deadline_ms: 7_000,
    members: [member("new"), member("bad", { kind: "none" }), member("new")],
    keys: [{ name: "second", key }, { name: "second" }],
  };
  const words = [
    /^members\.1\.kind: is no kind of provider/,
    /^members\.2\.name: is given twice$/,
    /^keys\.1\.name: is given twice$/,
    /^keys\.0\.key: is used by another key$/,
  ];
  const faults = issuesOf(await configure(input));
  assert.equal(faults.length, words.length, faults.join("\n"));
  for (const [at, word] of words.entries()) assert.match(faults[at]!, word);
  // Another account, and one that is yet to be made, cannot have the key either.
  for (const whose of [other, null]) {
    const asked = poolInput.parse({ name: "default", keys: [{ name: "app", key }] });
    assert.deepEqual(await poolIssues(open.deps, whose, asked), [
      { path: ["keys", 0, "key"], message: "is used by another key" },
    ]);
  }
  assert.equal(open.dump(), before);
  assert.deepEqual(
    await poolIssues(
      open.deps,
      accountId,
      poolInput.parse({ name: "default", keys: [{ name: "app", key }] }),
    ),
    [],
    "its own is its own",
  );
});

test("members that are there count with those that come", async () => {
  const many = Array.from({ length: maxMembers }, (_, at) => member(`m${at}`));
  await saved({ members: many });
  assert.deepEqual(issuesOf(await configure({ members: [member("more")] })), [
    `members: are too many: a pool has ${maxMembers} at most`,
  ]);
  assert.equal((await configure({ members: many.slice(0, 3) })).kind, "saved");
});

test("a key that was revoked by hand is not revived because something else in the entry changed", async () => {
  await saved({ members: [member("one")], keys: [{ name: "app", key }] });
  const { pool, keys } = await find();
  await revokeKey(open.deps, { accountId, poolId: pool.id }, keys[0]!.id);
  await saved({ members: [member("one", { weight: 2 })], keys: [{ name: "app", key }] });
  assert.equal(await open.deps.database.run(findPoolByKey, hashSecret(key)), null);
  const other = `${key}-renewed`;
  await saved({ members: [member("one")], keys: [{ name: "app", key: other }] });
  assert.ok(await open.deps.database.run(findPoolByKey, hashSecret(other)));
});

test("one by one: made, changed, refused and deleted, and the caches of pools are notified each time", async () => {
  const fields = poolFields.parse({ name: "single" });
  const before = open.deps.notified.pools;
  const made = await pools.create(open.deps, { accountId }, fields);
  assert.ok(made.kind === "saved");
  assert.deepEqual(issuesOf(await pools.create(open.deps, { accountId }, fields)), ["name: is taken"]);
  const { pool } = await find("single");
  const change = (changes: object) =>
    pools.update(open.deps, { accountId }, pool.id, poolChanges.parse(changes));
  assert.equal((await change({ stream_mode: "complete", name: "renamed" })).kind, "saved");
  assert.equal((await change({ budget: { tokens_per_day: 9, low_percent: 50 } })).kind, "saved");
  const hedged = { budget: { tokens_per_day: null, low_percent: 80 }, hedge: { max_share: 0.1 } };
  assert.equal((await change(hedged)).kind, "saved");
  assert.deepEqual(pools.fieldsOf(open.deps.sealer, (await find("renamed")).pool).hedge, {
    after: "p95",
    max_share: 0.1,
  });
  assert.equal((await change({ hedge: null })).kind, "saved");
  const after = (await find("renamed")).pool;
  assert.deepEqual(pools.fieldsOf(open.deps.sealer, after), {
    ...fields,
    stream_mode: "complete",
    name: "renamed",
    budget: noBudget,
    hedge: null,
  });
  assert.equal(after.created_at, pool.created_at);
  await open.deps.database.run(storeProvisionMark, {
    kind: "pool",
    name: provisionKey("acme", "renamed"),
    hash: "x",
  });
  assert.equal(
    (await pools.update(open.deps, { accountId }, after.id, { name: "again" })).kind,
    "provisioned",
  );
  assert.equal(await deletePool(open.deps, "acc_other", after.id), false);
  assert.equal(open.deps.notified.pools, before + 5);
  assert.equal(await deletePool(open.deps, accountId, after.id), true);
  assert.equal(await deletePool(open.deps, accountId, after.id), false);
  assert.equal((await change({ name: "late" })).kind, "not_found");
  assert.equal(open.deps.notified.pools, before + 6);
});

// Pools in the provisioning file: made with their members and keys, left alone until their entry changes, and
// refused before anything is changed.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { pools as poolResource } from "#configure/pool.ts";
import { deleteMember, members as memberResource } from "#configure/pool-member.ts";
import { applyProvision } from "#provision/apply.ts";
import { provisionFile, readProvisionFile } from "#provision/file.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findAccountByName } from "#store/accounts/accounts.ts";
import { findPoolByKey, findPoolByName } from "#store/pools/pools.ts";
import { type Configuring, openConfiguring } from "../configure/deps.ts";

let open: Configuring;
beforeEach(async () => {
  open = await openConfiguring();
});
afterEach(() => open.close());

const api_key = "tl_0123456789abcdef0123456789abcdef";
const key = "tlp_0123456789abcdef0123456789abcdef";
const member = { name: "primary", kind: "sandbox", models: ["echo"] };
const pool = { name: "default", members: [member], keys: [{ name: "app", key }] };
const acme = { name: "acme", api_key, pools: [pool] };
const apply = (...accounts: object[]) => applyProvision(open.deps, provisionFile.parse({ accounts }));
const fine = { errors: [], made: [] };
const find = async (name = "default") => {
  const account = await open.deps.database.run(findAccountByName, "acme");
  const found = await open.deps.database.run(findPoolByName, { accountId: account!.id, name });
  assert.ok(found);
  return found;
};

test("what a file names is there afterwards, and applying it again changes nothing", async () => {
  assert.deepEqual(await apply(acme), fine);
  const found = await open.deps.database.run(findPoolByKey, hashSecret(key));
  assert.deepEqual([found?.pool.name, found?.members.map(({ name }) => name)], ["default", ["primary"]]);
  const before = open.dump();
  await open.deps.clock.advance(60_000);
  assert.deepEqual(await apply(acme), fine);
  assert.equal(open.dump(), before);
  assert.equal(open.query("select action from audit_entries where action = 'configurePool'").length, 1);
});

test("a key that the file does not give is made and told once", async () => {
  const entry = { ...acme, pools: [{ ...pool, keys: [{ name: "app" }] }] };
  const { errors, made } = await apply(entry);
  assert.deepEqual([errors, made.map(({ what }) => what)], [[], ["Key app of pool default of account acme"]]);
  assert.ok(await open.deps.database.run(findPoolByKey, hashSecret(made[0]!.secret)));
  assert.deepEqual(await apply(entry), fine);
  const changed = { ...entry, pools: [{ ...entry.pools[0], deadline_ms: 9_000 }] };
  assert.deepEqual(await apply(changed), fine, "it keeps its key");
  assert.equal(poolResource.rulesOf((await find()).pool).deadline_ms, 9_000);
});

test("what was changed elsewhere stays so until the pool's entry changes; what it does not name is left alone", async () => {
  await apply(acme);
  const { pool: row, members } = await find();
  await memberResource.update(open.deps, { accountId: row.account_id, poolId: row.id }, members[0]!.id, {
    weight: 5,
  });
  await apply({ ...acme, country: "DE" });
  assert.equal(memberResource.rulesOf((await find()).members[0]!).weight, 5);
  await apply({
    ...acme,
    pools: [{ ...pool, strict_models: true, members: [{ ...member, name: "second" }] }],
  });
  const after = await find();
  assert.deepEqual(
    [
      after.pool.id,
      poolResource.rulesOf(after.pool).strict_models,
      after.members.map((row) => [row.name, memberResource.rulesOf(row).weight]),
    ],
    [
      row.id,
      true,
      [
        ["primary", 5],
        ["second", 1],
      ],
    ],
  );
  const of = { accountId: row.account_id, poolId: row.id };
  await deleteMember(open.deps, of, members[0]!.id);
  await apply({ ...acme, pools: [] });
  assert.equal((await find()).members.length, 1);
});

test("a pool with a fault keeps the whole file from being applied", async () => {
  await apply(acme);
  const before = open.dump();
  const settings = { base_url: "http://127.0.0.1:9100/v1" };
  const bad = { ...pool, members: [{ ...member, kind: "openai-compatible", settings }] };
  const { errors, made } = await apply(
    { ...acme, country: "DE", pools: [bad] },
    { name: "new", pools: [pool] },
  );
  assert.equal(errors.length, 2, errors.join("\n"));
  assert.match(
    errors[0]!,
    /^account acme: pool default: members\.0\.settings\.base_url: .*TRUNKLINE_OUTBOUND_ALLOW can let it through$/,
  );
  assert.equal(errors[1], "account new: pool default: keys.0.key: is used by another key");
  assert.deepEqual(made, []);
  assert.equal(open.dump(), before);
});

test("what is given twice is found when the file is read, and no key is repeated in a fault", () => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-pools-"));
  const read = (accounts: object[]) => {
    const path = join(folder, "provision.json");
    writeFileSync(path, JSON.stringify({ accounts }));
    return readProvisionFile(path, {});
  };
  try {
    const found = read([
      {
        ...acme,
        pools: [pool, { ...pool, keys: [{ name: "a" }, { name: "a" }], members: [member, member] }],
      },
      { name: "other", pools: [{ ...pool, keys: [{ name: "same", key }] }] },
    ]);
    assert.ok("errors" in found);
    assert.deepEqual(found.errors, [
      "accounts: acme: pools: default is given twice",
      "accounts: acme: pools: default: members: primary is given twice",
      "accounts: acme: pools: default: keys: a is given twice",
      "accounts: other: pools: default: keys: same has the key of another one",
    ]);
    assert.ok("file" in read([acme]));
    const wrong = read([{ ...acme, pools: [{ ...pool, keys: [{ name: "app", key: "too-short" }] }] }]);
    assert.deepEqual(wrong, { errors: ["accounts.0.pools.0.keys.0.key: must have at least 20 characters"] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

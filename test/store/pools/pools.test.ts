// Pools and members, as both engines keep them: found by their key, changed one at a time, and no other account's.

import assert from "node:assert/strict";
import test from "node:test";
import { maxMembers, maxPools } from "#contract/limits.ts";
import { storeProvisionMark } from "#store/maintenance/provisioned.ts";
import { listPoolKeys, revokePoolKey } from "#store/pools/keys.ts";
import {
  findPoolByKey,
  findPoolByName,
  provisionKey,
  readPools,
  removeMember,
  removePool,
  saveMember,
  savePool,
} from "#store/pools/pools.ts";
import { onBothEngines } from "../conformance.ts";
import { keyRow, makePool, memberRow, poolRow } from "../pool-rows.ts";
import { fresh, makeAccount, now } from "../rows.ts";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);
  const poolOf = async (accountId: string, id: string) =>
    (await run(readPools, { accountId, id }))[0] ?? null;

  test("a key finds its pool, the members and the account's zone; a revoked one finds nothing", async () => {
    const hash = fresh("hash");
    const of = await makePool(open().database, { key: { hash } });
    const found = (await open().other.run(findPoolByKey, hash))!;
    assert.deepEqual(
      [found.key.id, found.pool.id, found.pool.revision, found.timeZone, found.members.map(({ id }) => id)],
      [of.keyId, of.poolId, 2, "UTC", [of.memberId]],
    );
    assert.deepEqual(
      { ...found.pool },
      { ...poolRow(of.accountId, { id: of.poolId }), revision: 2 },
      "and nothing else is in the row",
    );
    assert.equal(await run(findPoolByKey, "hash of no key"), null);
    await run(revokePoolKey, { ...of, id: of.keyId, at: now });
    assert.equal(await open().other.run(findPoolByKey, hash), null);
  });

  test("each change of a pool or its members moves the revision, reads and refusals do not", async () => {
    const of = await makePool(open().database);
    const revision = async () => (await poolOf(of.accountId, of.poolId))!.pool.revision;
    assert.equal(await revision(), 2, "made, and a member added");
    const pool = poolRow(of.accountId, { id: of.poolId, rules: "{1}", revision: 2 });
    assert.equal(await run(savePool, pool), "saved");
    assert.equal(await revision(), 3);
    assert.equal(await run(savePool, { ...pool, rules: "{2}" }), "overtaken");
    const member = memberRow(of, { id: of.memberId, rules: "{5}", revision: 1, updated_at: now + 9 });
    assert.equal(await run(saveMember, member), "saved");
    assert.equal(await run(saveMember, { ...member, rules: "{6}" }), "overtaken");
    const { pool: after, members } = (await poolOf(of.accountId, of.poolId))!;
    assert.deepEqual(
      [after.revision, after.rules, after.updated_at, members[0]!.rules, members[0]!.revision],
      [4, "{1}", now + 9, "{5}", 2],
    );
    assert.equal(await run(saveMember, memberRow(of, { name: member.name })), "name_taken");
    assert.equal(await run(removeMember, { ...of, id: "mem_none", at: now }), false);
    assert.equal(await revision(), 4);
    assert.equal(await run(removeMember, { ...of, id: of.memberId, at: now }), true);
    assert.equal(await revision(), 5);
    assert.deepEqual((await poolOf(of.accountId, of.poolId))!.members, []);
  });

  test("a name is one pool's in an account, and one member's in a pool", async () => {
    const { accountId, poolId } = await makePool(open().database);
    const { name } = (await poolOf(accountId, poolId))!.pool;
    assert.equal(await run(savePool, poolRow(accountId, { name })), "name_taken");
    const second = poolRow(accountId);
    assert.equal(await run(savePool, second), "saved");
    assert.equal(await run(savePool, { ...second, name, revision: 1 }), "name_taken");
    const other = await makeAccount(open().database);
    assert.equal(await run(savePool, poolRow(other, { name })), "saved");
    const of = { accountId, poolId };
    const [one, two] = [memberRow(of), memberRow(of)];
    for (const member of [one, two]) assert.equal(await run(saveMember, member), "saved");
    assert.equal(await run(saveMember, { ...two, name: one.name, revision: 1 }), "name_taken");
    const elsewhere = memberRow({ accountId, poolId: second.id }, { name: one.name });
    assert.equal(await run(saveMember, elsewhere), "saved");
  });

  test("two that take one name at once: one gets it", async () => {
    const accountId = await makeAccount(open().database);
    const name = fresh("same");
    const outcomes = await Promise.all(
      [open().database, open().other, open().database, open().other].map((database) =>
        database.run(savePool, poolRow(accountId, { name })),
      ),
    );
    assert.deepEqual(outcomes.sort(), ["name_taken", "name_taken", "name_taken", "saved"]);
  });

  test("a pool that the provisioning file named keeps its name", async () => {
    const of = await makePool(open().database);
    const { pool } = (await poolOf(of.accountId, of.poolId))!;
    const name = provisionKey(`name of ${of.accountId}`, pool.name);
    await run(storeProvisionMark, { kind: "pool", name, hash: "x" });
    const renamed = { ...pool, name: fresh("new") };
    assert.equal(await run(savePool, renamed), "provisioned");
    assert.equal(await run(savePool, { ...pool, rules: "{1}" }), "saved");
  });

  test("what is another account's is not there", async () => {
    const of = await makePool(open().database);
    const otherAccount = await makeAccount(open().database);
    const theirs = { accountId: otherAccount, poolId: of.poolId };
    const { name } = (await poolOf(of.accountId, of.poolId))!.pool;
    assert.deepEqual(await run(readPools, { accountId: otherAccount, id: of.poolId }), []);
    assert.deepEqual(await run(readPools, { accountId: otherAccount, id: null }), []);
    assert.equal(await run(findPoolByName, { accountId: otherAccount, name }), null);
    const pool = poolRow(otherAccount, { id: of.poolId, revision: 2 });
    assert.equal(await run(savePool, pool), "overtaken");
    assert.equal(await run(saveMember, memberRow(theirs)), "not_found");
    const member = memberRow(theirs, { id: of.memberId, rules: "{9}", revision: 1 });
    assert.equal(await run(saveMember, member), "not_found");
    assert.equal(await run(removeMember, { ...theirs, id: of.memberId, at: now }), false);
    assert.equal(await run(removePool, theirs), false);
    // Through a pool of one's own neither.
    const own = await makePool(open().database);
    const moved = memberRow(own, { id: of.memberId, rules: "{9}", revision: 1 });
    assert.equal(await run(saveMember, moved), "overtaken");
    assert.equal(await run(removeMember, { ...own, id: of.memberId, at: now }), false);
    assert.equal((await poolOf(of.accountId, of.poolId))!.members[0]!.rules, '{"models":["echo"]}');
  });

  test("a removed pool leaves with its members, keys and limits", async () => {
    const { query } = open();
    const of = await makePool(open().database);
    await query("insert into key_buckets values (?, 'tokens', 1, 1)", of.keyId);
    await query("insert into key_slots values (?, 'slot', 1)", of.keyId);
    assert.equal(await run(removePool, of), true);
    assert.equal(await run(removePool, of), false);
    for (const table of ["pool_members", "pool_keys"])
      assert.deepEqual(await query(`select id from ${table} where pool_id = ?`, of.poolId), []);
    for (const table of ["key_buckets", "key_slots"])
      assert.deepEqual(await query(`select key_id from ${table} where key_id = ?`, of.keyId), []);
    assert.equal(await run(findPoolByKey, keyRow(of, { id: of.keyId }).hash), null);
  });

  test("by its name a pool comes with all its keys; lists are oldest first and end somewhere", async () => {
    const of = await makePool(open().database);
    await run(revokePoolKey, { ...of, id: of.keyId, at: now });
    const { name } = (await poolOf(of.accountId, of.poolId))!.pool;
    const found = (await run(findPoolByName, { accountId: of.accountId, name }))!;
    assert.deepEqual(
      [found.pool.id, found.keys.map(({ id }) => id), found.members.length],
      [of.poolId, [of.keyId], 1],
    );
    assert.equal(found.keys[0]!.revoked_at, now);
    assert.equal((await run(listPoolKeys, { ...of, before: null, limit: 9 })).length, 1);

    for (let i = 1; i < maxMembers; i++) assert.equal(await run(saveMember, memberRow(of)), "saved");
    assert.equal(await run(saveMember, memberRow(of)), "too_many");
    const made = [of.poolId];
    for (let i = 1; i < maxPools; i++) {
      const pool = poolRow(of.accountId, { created_at: now + i });
      assert.equal(await run(savePool, pool), "saved");
      made.push(pool.id);
    }
    assert.equal(await run(savePool, poolRow(of.accountId)), "too_many");
    const list = await run(readPools, { accountId: of.accountId, id: null });
    assert.deepEqual(
      list.map(({ pool }) => pool.id),
      made,
    );
    assert.deepEqual([list[0]!.members.length, list[1]!.members.length], [maxMembers, 0]);
  });
});

// The keys of pools, as both engines keep them. A change that meets a revocation must not undo it.

import assert from "node:assert/strict";
import test from "node:test";
import { keepAnswer } from "#store/pools/answers.ts";
import {
  findKeyHash,
  findPoolKey,
  listPoolKeys,
  revokePoolKey,
  rotatePoolKey,
  savePoolKey,
} from "#store/pools/keys.ts";
import { onBothEngines } from "../conformance.ts";
import { answerRow, keyRow, makePool } from "../pool-rows.ts";
import { fresh, now } from "../rows.ts";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);

  test("a key is stored as it is given, and its limits change", async () => {
    const of = await makePool(open().database);
    const key = keyRow(of, { rules: '{"models":["echo"]}', expires_at: now + 1 });
    assert.equal(await run(savePoolKey, key), "saved");
    assert.deepEqual({ ...(await run(findPoolKey, { ...of, id: key.id })) }, { ...key, revision: 1 });
    const changed = { ...key, rules: "{}", revision: 1, updated_at: now + 5 };
    assert.equal(await run(savePoolKey, changed), "saved");
    assert.deepEqual({ ...(await run(findPoolKey, { ...of, id: key.id })) }, { ...changed, revision: 2 });
    assert.equal(await run(savePoolKey, { ...changed, rules: "{9}" }), "overtaken");
    assert.deepEqual({ ...(await run(findPoolKey, { ...of, id: key.id })) }, { ...changed, revision: 2 });
    assert.deepEqual(
      { ...(await run(findKeyHash, key.hash)) },
      {
        id: key.id,
        pool_id: of.poolId,
        account_id: of.accountId,
        name: key.name,
      },
    );
    assert.equal(await run(findKeyHash, "hash of no key"), null);
  });

  test("a change of a key that was revoked meanwhile is overtaken; another text revives it", async () => {
    const of = await makePool(open().database);
    const before = (await run(findPoolKey, { ...of, id: of.keyId }))!;
    const revoked = (await run(revokePoolKey, { ...of, id: of.keyId, at: now + 1 }))!;
    assert.equal(revoked.revoked_at, now + 1);
    assert.equal((await run(revokePoolKey, { ...of, id: of.keyId, at: now + 2 }))!.revoked_at, now + 1);
    const change = { ...before, rules: "{3}", hash: fresh("hash"), revoked_at: null };
    assert.equal(await run(savePoolKey, change), "overtaken");
    assert.deepEqual({ ...(await run(findPoolKey, { ...of, id: of.keyId })) }, { ...revoked });
    assert.equal(await run(savePoolKey, { ...change, revision: revoked.revision }), "saved");
    const renewed = (await run(findPoolKey, { ...of, id: of.keyId }))!;
    assert.deepEqual([renewed.hash, renewed.revoked_at], [change.hash, null]);
  });

  test("a name that works is taken, a revoked one is free; a text is one key's everywhere", async () => {
    const of = await makePool(open().database);
    const first = keyRow(of);
    await run(savePoolKey, first);
    const again = keyRow(of, { name: first.name });
    assert.equal(await run(savePoolKey, again), "name_taken");
    await open().query("insert into key_slots values (?, 'slot', 1)", first.id);
    const answers = [first.id, "another"].map((keyId) => answerRow({ ...of, keyId }));
    for (const row of answers) await run(keepAnswer, row);
    await run(revokePoolKey, { ...of, id: first.id, at: now });
    // The same text under the same name: the revoked one made room for it.
    assert.equal(await run(savePoolKey, { ...again, hash: first.hash }), "saved");
    assert.equal(await run(findPoolKey, { ...of, id: first.id }), null);
    assert.deepEqual(await open().query("select slot from key_slots where key_id = ?", first.id), []);
    const stored = await open().query("select key_id from pool_answers where pool_id = ?", of.poolId);
    assert.equal(JSON.stringify(stored), '[{"key_id":"another"}]');
    const other = await makePool(open().database);
    assert.equal(await run(savePoolKey, keyRow(other, { hash: first.hash })), "key_taken");
    assert.equal(await run(savePoolKey, keyRow(other, { name: first.name })), "saved");
  });

  test("a rotation keeps one text before; of two at once both happen, one after the other", async () => {
    const of = await makePool(open().database);
    const { hash: first } = (await run(findPoolKey, { ...of, id: of.keyId }))!;
    const input = { ...of, id: of.keyId, at: now + 1, hint: "h", previousWorksUntil: now + 9 };
    assert.equal(await run(rotatePoolKey, { ...input, hash: fresh("hash") }), "rotated");
    const rotated = (await run(findPoolKey, { ...of, id: of.keyId }))!;
    assert.deepEqual([rotated.previous_hash, rotated.previous_works_until], [first, now + 9]);
    assert.equal((await run(findKeyHash, first))?.id, of.keyId);
    const texts = [fresh("hash"), fresh("hash")];
    const outcomes = await Promise.all(
      texts.map((hash, at) =>
        (at === 0 ? open().database : open().other).run(rotatePoolKey, { ...input, hash }),
      ),
    );
    assert.deepEqual(outcomes, ["rotated", "rotated"]);
    const last = (await run(findPoolKey, { ...of, id: of.keyId }))!;
    assert.deepEqual([last.hash, last.previous_hash].sort(), texts.toSorted());
    assert.equal(await run(findKeyHash, first), null);
    assert.equal(last.revision, rotated.revision + 2);
    const revoked = (await run(revokePoolKey, { ...of, id: of.keyId, at: now + 2 }))!;
    assert.deepEqual([revoked.previous_hash, revoked.previous_works_until], [null, null]);
    assert.equal(await run(rotatePoolKey, { ...input, hash: fresh("hash") }), "revoked");
    assert.equal(await run(rotatePoolKey, { ...input, accountId: "acc_none", hash: "x" }), "not_found");
  });

  test("two pools that are given one text at once: one gets it", async () => {
    const pools = await Promise.all([makePool(open().database), makePool(open().other)]);
    const hash = fresh("hash");
    const outcomes = await Promise.all(
      pools.map((of, at) =>
        (at === 0 ? open().database : open().other).run(savePoolKey, keyRow(of, { hash })),
      ),
    );
    assert.deepEqual(outcomes.sort(), ["key_taken", "saved"]);
  });

  test("what is another account's or pool's is not there", async () => {
    const of = await makePool(open().database);
    const other = await makePool(open().database);
    const id = of.keyId;
    for (const whose of [
      other,
      { ...of, accountId: other.accountId },
      { ...other, accountId: of.accountId },
      { ...of, poolId: other.poolId },
    ]) {
      assert.equal(await run(findPoolKey, { ...whose, id }), null);
      assert.equal(await run(revokePoolKey, { ...whose, id, at: now }), null);
      const key = keyRow(whose, { id, hash: fresh("hash"), revision: 1 });
      assert.match(await run(savePoolKey, key), /^(not_found|overtaken)$/);
    }
    assert.deepEqual(
      await run(listPoolKeys, { ...of, accountId: other.accountId, before: null, limit: 9 }),
      [],
    );
    assert.equal((await run(findPoolKey, { ...of, id }))!.revoked_at, null);
  });

  test("pages are newest first, with the revoked ones", async () => {
    const of = await makePool(open().database);
    const made = [keyRow(of), keyRow(of, { revoked_at: now }), keyRow(of)];
    for (const key of made) await run(savePoolKey, key);
    const ids = [of.keyId, ...made.map(({ id }) => id)].reverse();
    const page = await run(listPoolKeys, { ...of, before: null, limit: 2 });
    const next = await run(listPoolKeys, { ...of, before: ids[1]!, limit: 9 });
    assert.deepEqual(
      [...page, ...next].map(({ id }) => id),
      ids,
    );
  });
});

// The keys of an account that have a name: whose a text is, and how a key ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findAccount, replaceApiKey } from "#store/accounts/accounts.ts";
import {
  findKeyHolder,
  findNamedKey,
  listNamedKeys,
  noteKeyUse,
  revokeNamedKey,
  rotateNamedKey,
  saveNamedKey,
} from "#store/accounts/named-keys.ts";
import type { NamedKeysTable } from "#store/schema/keys.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, now } from "../rows.ts";

function keyRow(accountId: string, columns: Partial<NamedKeysTable> = {}): NamedKeysTable {
  const id = fresh("apk");
  return {
    id,
    account_id: accountId,
    name: `name of ${id}`,
    hash: `hash of ${id}`,
    hint: "tl_a…wxyz",
    previous_hash: null,
    previous_works_until: null,
    rules: `{"scopes":["read"]}`,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    revision: 0,
    created_at: now,
    updated_at: now,
    ...columns,
  };
}

onBothEngines((open) => {
  async function made(columns: Partial<NamedKeysTable> = {}) {
    const accountId = columns.account_id ?? (await makeAccount(open().database));
    const key = keyRow(accountId, columns);
    assert.equal(await open().database.run(saveNamedKey, key), "saved");
    return { ...key, accountId };
  }
  const holderOf = (hash: string) => open().database.run(findKeyHolder, hash);

  test("a text leads to its account, with its gateways, and to its key", async () => {
    const { database } = open();
    const key = await made({ expires_at: now + 5 });
    await makeGateway(database, key.accountId);
    const account = await database.run(findAccount, key.accountId);
    assert.equal(account?.gateways.length, 1);
    assert.deepEqual(await holderOf(key.hash), {
      account,
      named: { id: key.id, name: key.name, rules: key.rules },
      endsAt: now + 5,
      lastUsedAt: null,
    });
    const personal = fresh("hash");
    const of = { accountId: key.accountId, hint: "h", sealed: null, at: now };
    await database.run(replaceApiKey, { ...of, hash: personal, previousWorksUntil: null });
    const found = { account, named: null, endsAt: null, lastUsedAt: null };
    assert.deepEqual(await holderOf(personal), found);
    await database.run(replaceApiKey, { ...of, hash: fresh("hash"), previousWorksUntil: now + 9 });
    assert.deepEqual(await holderOf(personal), { ...found, endsAt: now + 9 });
    assert.equal(await holderOf("no such hash"), null);
  });

  test("the use of a key is noted, of the one that was shown alone", async () => {
    const { database } = open();
    const [key, other] = [await made(), await made()];
    const personal = fresh("hash");
    const of = { accountId: key.accountId, hint: "h", sealed: null, at: now };
    await database.run(replaceApiKey, { ...of, hash: personal, previousWorksUntil: null });
    await database.run(noteKeyUse, { keyId: key.id, hash: key.hash, at: now + 1 });
    await database.run(noteKeyUse, { keyId: null, hash: personal, at: now + 2 });
    assert.equal((await holderOf(key.hash))?.lastUsedAt, now + 1);
    assert.equal((await holderOf(personal))?.lastUsedAt, now + 2);
    assert.equal((await holderOf(other.hash))?.lastUsedAt, null);
    assert.equal((await database.run(findNamedKey, { accountId: key.accountId, id: key.id }))?.revision, 1);
  });

  test("a name is one key's in its account, until that one is revoked", async () => {
    const { database } = open();
    const key = await made();
    const again = keyRow(key.accountId, { name: key.name });
    assert.equal(await database.run(saveNamedKey, again), "name_taken");
    await made({ name: key.name });
    await database.run(revokeNamedKey, { accountId: key.accountId, id: key.id, at: now });
    assert.equal(await database.run(saveNamedKey, again), "saved");
    assert.equal(await database.run(findNamedKey, { accountId: key.accountId, id: key.id }), null);
  });

  test("a change is stored from the revision it was made from, and never brings a text back", async () => {
    const { database } = open();
    const key = await made();
    const of = { accountId: key.accountId, id: key.id };
    const { accountId: _, ...row } = key;
    assert.equal(await database.run(saveNamedKey, { ...row, name: "renamed", revision: 1 }), "saved");
    assert.equal(await database.run(saveNamedKey, { ...row, name: "late", revision: 1 }), "overtaken");
    const text = { hash: fresh("hash"), hint: "h", previousWorksUntil: null };
    assert.equal(await database.run(rotateNamedKey, { ...of, ...text, at: now + 1 }), "rotated");
    assert.equal(await database.run(saveNamedKey, { ...row, revision: 2 }), "overtaken");
    assert.equal(await database.run(saveNamedKey, { ...row, revision: 3 }), "saved");
    assert.equal((await database.run(findNamedKey, of))?.hash, text.hash);
    assert.equal(await holderOf(key.hash), null);
  });

  test("of the texts before, the last one works until its time; its end is never later than the key's", async () => {
    const { database } = open();
    const key = await made({ expires_at: now + 100 });
    const of = { accountId: key.accountId, id: key.id, hint: "h", at: now };
    const hashes = [fresh("hash"), fresh("hash")];
    for (const [at, hash] of hashes.entries())
      await database.run(rotateNamedKey, { ...of, hash, previousWorksUntil: now + 99 + 2 * at });
    assert.equal(await holderOf(key.hash), null);
    assert.equal((await holderOf(hashes[0]!))?.endsAt, now + 100);
    assert.equal((await holderOf(hashes[1]!))?.endsAt, now + 100);
    await database.run(rotateNamedKey, { ...of, hash: fresh("hash"), previousWorksUntil: now + 3 });
    assert.equal((await holderOf(hashes[1]!))?.endsAt, now + 3);
  });

  test("a revoked key has no text any more, and stays in the list", async () => {
    const { database } = open();
    const key = await made();
    const of = { accountId: key.accountId, id: key.id };
    const text = { hash: fresh("hash"), hint: "h", previousWorksUntil: now + 9 };
    await database.run(rotateNamedKey, { ...of, ...text, at: now });
    for (const at of [now + 1, now + 2]) assert.ok(await database.run(revokeNamedKey, { ...of, at }));
    for (const hash of [key.hash, text.hash]) assert.equal(await holderOf(hash), null);
    assert.equal(await database.run(rotateNamedKey, { ...of, ...text, at: now }), "revoked");
    const [row, ...more] = await database.run(listNamedKeys, {
      accountId: key.accountId,
      before: null,
      limit: 9,
    });
    assert.deepEqual([row?.revoked_at, row?.revision, more.length], [now + 1, 3, 0]);
  });

  test("keys are listed newest first, and another account reaches none of them", async () => {
    const { database } = open();
    const first = await made();
    const second = await made({ account_id: first.accountId });
    const list = (before: string | null, accountId = first.accountId) =>
      database.run(listNamedKeys, { accountId, before, limit: 9 });
    assert.deepEqual(
      (await list(null)).map(({ id }) => id),
      [second.id, first.id],
    );
    assert.deepEqual(
      (await list(second.id)).map(({ id }) => id),
      [first.id],
    );
    const other = await makeAccount(database);
    const theirs = { accountId: other, id: first.id };
    assert.deepEqual(await list(null, other), []);
    assert.equal(await database.run(findNamedKey, theirs), null);
    assert.equal(await database.run(revokeNamedKey, { ...theirs, at: now }), false);
    const text = { hash: fresh("hash"), hint: "h", previousWorksUntil: null };
    assert.equal(await database.run(rotateNamedKey, { ...theirs, ...text, at: now }), "not_found");
    const { accountId: _, ...row } = first;
    assert.equal(await database.run(saveNamedKey, { ...row, account_id: other, revision: 1 }), "overtaken");
  });
});

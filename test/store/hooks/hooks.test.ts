// The hooks of accounts: names are of an account, keys of the installation, and what is received changes no revision.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findHookByKey,
  findHookByName,
  findHookHolder,
  type HookRow,
  noteHookBody,
  readHooks,
  readLastBody,
  removeHook,
  rotateHookKey,
  saveHook,
} from "#store/hooks/hooks.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, now } from "../rows.ts";

function hookRow(accountId: string, columns: Partial<HookRow> = {}): HookRow {
  const id = fresh("hook");
  return {
    id,
    account_id: accountId,
    name: `name of ${id}`,
    hash: `hash of ${id}`,
    hint: "tlh_…wxyz",
    rules: "{}",
    last_received_at: null,
    last_outcome: null,
    alerts: 0,
    revision: 0,
    created_at: now,
    updated_at: now,
    ...columns,
  };
}

onBothEngines((open) => {
  async function made(columns: Partial<HookRow> = {}) {
    const accountId = columns.account_id ?? (await makeAccount(open().database));
    const row = hookRow(accountId, columns);
    assert.equal(await open().database.run(saveHook, row), "saved");
    return { row, accountId, of: { accountId, id: row.id } };
  }

  test("a key leads to its hook and its account, with its gateways", async () => {
    const { database } = open();
    const { row, accountId } = await made();
    await makeGateway(database, accountId);
    const found = await database.run(findHookByKey, row.hash);
    assert.deepEqual(found?.hook, { ...row, revision: 1 });
    assert.deepEqual([found?.account.id, found?.account.gateways.length], [accountId, 1]);
    const holder = { id: row.id, account_id: accountId, name: row.name };
    assert.deepEqual({ ...(await database.run(findHookHolder, row.hash)) }, holder);
    assert.equal(await database.run(findHookByKey, "none"), null);
    assert.equal(await database.run(findHookHolder, "none"), null);
  });

  test("a name is taken in its account, a key everywhere", async () => {
    const { database } = open();
    const [{ row, accountId }, other] = [await made(), await made()];
    assert.equal(await database.run(saveHook, hookRow(accountId, { name: row.name })), "name_taken");
    assert.equal(await database.run(saveHook, hookRow(other.accountId, { hash: row.hash })), "key_taken");
    const theirs = await made({ account_id: other.accountId, name: row.name });
    const { name } = row;
    assert.equal((await database.run(findHookByName, { accountId, name }))?.id, row.id);
    assert.equal(
      (await database.run(findHookByName, { accountId: other.accountId, name }))?.id,
      theirs.row.id,
    );
  });

  test("changes build on the revision that was read; a body that is received is no change", async () => {
    const { database } = open();
    const { row, of } = await made();
    const received = { ...of, body: "sealed", outcome: "accepted", at: now + 1 };
    await database.run(noteHookBody, received);
    assert.equal(await database.run(saveHook, { ...row, rules: '{"a":1}', revision: 1 }), "saved");
    assert.equal(await database.run(saveHook, { ...row, revision: 1 }), "overtaken");
    assert.equal(
      await database.run(rotateHookKey, { ...of, hash: fresh("h"), hint: "h", at: now + 2 }),
      true,
    );
    assert.equal(await database.run(saveHook, { ...row, revision: 2 }), "overtaken");
    const [read] = await database.run(readHooks, of);
    assert.deepEqual(
      [read?.rules, read?.revision, read?.last_outcome, read?.last_received_at, read?.updated_at],
      ['{"a":1}', 3, "accepted", now + 1, now + 2],
    );
    assert.equal(await database.run(readLastBody, of), "sealed");
    assert.equal(await database.run(findHookByKey, row.hash), null);
  });

  test("another account finds, changes and removes nothing", async () => {
    const { database } = open();
    const { row, of } = await made();
    const theirs = { accountId: await makeAccount(database), id: row.id };
    assert.deepEqual(await database.run(readHooks, theirs), []);
    assert.equal(await database.run(readLastBody, theirs), null);
    assert.equal(await database.run(rotateHookKey, { ...theirs, hash: "x", hint: "x", at: now }), false);
    assert.equal(await database.run(removeHook, theirs), false);
    const stolen = { ...row, account_id: theirs.accountId, revision: 1 };
    assert.equal(await database.run(saveHook, stolen), "overtaken");
    assert.equal(await database.run(removeHook, of), true);
    assert.deepEqual(await database.run(readHooks, { ...of, id: null }), []);
  });
});

// Management tokens, as both engines keep them.

import assert from "node:assert/strict";
import test from "node:test";
import {
  findManagementToken,
  insertManagementToken,
  listManagementTokens,
  noteTokenUse,
  revokeManagementToken,
  saveManagementToken,
} from "#store/identity/tokens.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, now } from "../rows.ts";
import { managementTokenRow } from "./people-rows.ts";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);

  test("a token is found by its hash until it is revoked, in every process at once", async () => {
    const token = managementTokenRow();
    assert.equal(await run(insertManagementToken, token), true);
    assert.deepEqual({ ...(await open().other.run(findManagementToken, token.hash)) }, token);
    const revoked = await run(revokeManagementToken, { id: token.id, at: now + 1 });
    assert.equal(revoked?.revoked_at, now + 1);
    assert.equal(await open().other.run(findManagementToken, token.hash), null);
    assert.equal((await run(revokeManagementToken, { id: token.id, at: now + 2 }))?.revoked_at, now + 1);
    assert.equal(await run(revokeManagementToken, { id: "tok_none", at: now }), null);
  });

  test("a name or a hash that is in use is not given again; a revoked token leaves its name", async () => {
    const token = managementTokenRow();
    await run(insertManagementToken, token);
    const { name, hash } = token;
    assert.equal(await run(insertManagementToken, managementTokenRow({ name })), false);
    assert.equal(await run(insertManagementToken, managementTokenRow({ hash })), false);
    await run(revokeManagementToken, { id: token.id, at: now });
    assert.equal(await run(insertManagementToken, managementTokenRow({ name })), true);
  });

  test("a token that has ended leaves its name; the last use is noted over the one that was read", async () => {
    const token = managementTokenRow({ expires_at: now + 10 });
    await run(insertManagementToken, token);
    const { id, name } = token;
    await run(noteTokenUse, { id, at: now + 1, noted: null });
    await run(noteTokenUse, { id, at: now + 2, noted: null });
    assert.equal((await run(findManagementToken, token.hash))?.last_used_at, now + 1);
    await run(noteTokenUse, { id, at: now + 3, noted: now + 1 });
    assert.equal((await run(findManagementToken, token.hash))?.last_used_at, now + 3);
    assert.equal(await run(insertManagementToken, managementTokenRow({ name, created_at: now + 9 })), false);
    assert.equal(await run(insertManagementToken, managementTokenRow({ name, created_at: now + 10 })), true);
  });

  test("saving by name changes what is there, and keeps its id", async () => {
    const name = fresh("name");
    const first = managementTokenRow({ name });
    assert.equal(await run(saveManagementToken, first), first.id);
    await run(revokeManagementToken, { id: first.id, at: now });
    const second = managementTokenRow({ name, created_at: now + 5 });
    assert.equal(await run(saveManagementToken, second), first.id);
    const found = await run(findManagementToken, second.hash);
    assert.deepEqual([found?.id, found?.created_at, found?.revoked_at], [first.id, now, null]);
    assert.equal(await run(findManagementToken, first.hash), null);
    assert.equal(await run(saveManagementToken, managementTokenRow({ hash: second.hash })), null);
  });

  test("pages are newest first, with the revoked ones", async () => {
    const made = [managementTokenRow(), managementTokenRow({ revoked_at: now }), managementTokenRow()];
    for (const token of made) await run(insertManagementToken, token);
    const ids = made.map(({ id }) => id).reverse();
    const page = await run(listManagementTokens, { before: null, limit: 2 });
    assert.deepEqual(
      page.map(({ id }) => id),
      ids.slice(0, 2),
    );
    const next = await run(listManagementTokens, { before: ids[1]!, limit: 1 });
    assert.deepEqual(
      next.map(({ id }) => id),
      ids.slice(2),
    );
  });
});

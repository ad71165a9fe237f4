// One-time links of users, as both engines keep them: one for a user, used once, and ended with the password or the user.

import assert from "node:assert/strict";
import test from "node:test";
import {
  consumeUserSetupLink,
  findUserOfSetupLink,
  storeUserSetupLink,
} from "#store/identity/user-setup-links.ts";
import {
  changeUser,
  findSession,
  findUser,
  insertUser,
  listUsers,
  startSession,
} from "#store/identity/users.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, now } from "../rows.ts";
import { sessionRow, userRow } from "./people-rows.ts";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);
  const linked = async (columns = {}) => {
    const user = userRow(columns);
    await run(insertUser, user);
    const hash = fresh("link");
    const link = { user_id: user.id, hash, created_at: now, expires_at: now + 100 };
    return { user, hash, stored: await run(storeUserSetupLink, link) };
  };
  const found = async (hash: string, at = now) =>
    (await run(findUserOfSetupLink, { hash, now: at }))?.id ?? null;

  test("a link leads to its user until it ends, and a new one takes its place", async () => {
    const { user, hash } = await linked();
    assert.equal(await found(hash, now + 99), user.id);
    assert.equal(await found(hash, now + 100), null);
    const second = { user_id: user.id, hash: fresh("link"), created_at: now, expires_at: now + 200 };
    assert.equal(await run(storeUserSetupLink, second), "stored");
    assert.deepEqual([await found(hash), await found(second.hash)], [null, user.id]);
    const filter = { accountId: null, search: user.email, before: null, limit: 1 };
    assert.equal((await run(listUsers, filter))[0]?.setup_link_expires_at, now + 200);
  });

  test("of two who use it at once one gets in, and the user's sessions end", async () => {
    const { user, hash } = await linked();
    const session = sessionRow(user.id);
    await run(startSession, { session, password: user.password, replaces: null, idleSince: 0 });
    const { database, other } = open();
    const input = { userId: user.id, hash, at: now };
    const results = await Promise.all([
      database.run(consumeUserSetupLink, { ...input, password: "one" }),
      other.run(consumeUserSetupLink, { ...input, password: "two" }),
    ]);
    assert.deepEqual(results.sort(), [false, true]);
    const after = await run(findUser, user.id);
    assert.deepEqual([after?.revision, ["one", "two"].includes(after?.password ?? "")], [2, true]);
    assert.equal(await run(findSession, { hash: session.hash, now, idleSince: 0 }), null);
    assert.equal(await found(hash), null);
  });

  test("a link that has expired, or is another user's, changes nothing", async () => {
    const [a, b] = [await linked(), await linked()];
    const password = "new";
    const late = { userId: a.user.id, hash: a.hash, password, at: now + 100 };
    assert.equal(await run(consumeUserSetupLink, late), false);
    const foreign = { userId: a.user.id, hash: b.hash, password, at: now };
    assert.equal(await run(consumeUserSetupLink, foreign), false);
    assert.equal((await run(findUser, a.user.id))?.password, a.user.password);
    assert.deepEqual([await found(a.hash), await found(b.hash)], [a.user.id, b.user.id]);
  });

  test("who is switched off has no link, and a new password ends it; a new name does not", async () => {
    const { user, hash } = await linked();
    const { id } = user;
    await run(changeUser, { id, revision: 1, change: { name: "Ann" }, at: now });
    assert.equal(await found(hash), id);
    await run(changeUser, { id, revision: 2, change: { password: "new" }, at: now });
    assert.equal(await found(hash), null);
    const again = { user_id: id, hash: fresh("link"), created_at: now, expires_at: now + 100 };
    assert.equal(await run(storeUserSetupLink, again), "stored");
    await run(insertUser, userRow());
    await run(changeUser, { id, revision: 3, change: { active: 0 }, at: now });
    assert.equal(await found(again.hash), null);
    assert.equal(await run(storeUserSetupLink, again), "off");
    assert.equal(await run(storeUserSetupLink, { ...again, user_id: "usr_none" }), "not_found");
  });
});

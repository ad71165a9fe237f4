// Users, sessions and set-up codes, as both engines keep them; above all what must not happen twice at once.

import assert from "node:assert/strict";
import test from "node:test";
import { consumeUserSetupLink, storeUserSetupLink } from "#store/identity/user-setup-links.ts";
import {
  changeUser,
  consumeSetupCode,
  endSession,
  findSession,
  findSetupCode,
  findUser,
  findUserByEmail,
  insertUser,
  listUsers,
  noPassword,
  startSession,
  storeSetupCode,
  touchSession,
} from "#store/identity/users.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, now } from "../rows.ts";
import { sessionRow, userRow } from "./people-rows.ts";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);
  const insert = async (columns = {}) => {
    const user = userRow(columns);
    assert.equal(await run(insertUser, user), true);
    return user;
  };
  const start = (userId: string, columns = {}, password = `password of ${userId}`) => {
    const session = sessionRow(userId, columns);
    return run(startSession, { session, password, replaces: null, idleSince: 0 }).then((started) => ({
      started,
      hash: session.hash,
    }));
  };
  const alive = async (hash: string, at = now) =>
    (await run(findSession, { hash, now: at, idleSince: at - 500 })) !== null;

  test("a user is found by id and address, which is given once", async () => {
    const user = await insert();
    assert.deepEqual({ ...(await run(findUser, user.id)) }, user);
    assert.deepEqual({ ...(await run(findUserByEmail, user.email)) }, user);
    assert.equal(await run(findUserByEmail, user.email.toUpperCase()), null);
    assert.equal(await run(findUser, "usr_none"), null);
    assert.equal(await run(insertUser, userRow({ email: user.email })), false);
  });

  const all = { accountId: null, search: null, before: null };

  test("users are found by a part of their name or address, and by their account", async () => {
    const account = await makeAccount(open().database);
    const tag = fresh("tag");
    const [ada, bob] = [
      await insert({ name: `${tag} Ada`, role: "member", account_id: account }),
      await insert({ email: `${tag}_bob@acme.example` }),
    ];
    const found = async (filter: object) =>
      (await run(listUsers, { ...all, limit: 10, ...filter })).map(({ id }) => id);
    assert.deepEqual(await found({ search: tag.toUpperCase() }), [bob.id, ada.id]);
    assert.deepEqual(await found({ search: `${tag}_B` }), [bob.id]);
    assert.deepEqual(await found({ search: `${tag}%` }), []);
    assert.deepEqual(await found({ accountId: account }), [ada.id]);
    assert.deepEqual(await found({ accountId: account, search: "bob@" }), []);
  });

  test("users come in pages, newest first", async () => {
    const made = [await insert(), await insert(), await insert()].map(({ id }) => id).reverse();
    const page = await run(listUsers, { ...all, limit: 2 });
    assert.deepEqual(
      page.map(({ id }) => id),
      made.slice(0, 2),
    );
    const next = await run(listUsers, { ...all, before: made[1]!, limit: 1 });
    assert.deepEqual(
      next.map(({ id }) => id),
      made.slice(2),
    );
  });

  test("two operators who switch each other off at once: one stays", async () => {
    await open().query("update users set active = 0");
    const [a, b] = [await insert(), await insert()];
    const { database, other } = open();
    const off = { change: { active: 0 as const }, at: now + 1 };
    const results = await Promise.all([
      database.run(changeUser, { id: a.id, revision: 1, ...off }),
      other.run(changeUser, { id: b.id, revision: 1, ...off }),
    ]);
    assert.deepEqual(results.map(({ kind }) => kind).sort(), ["changed", "last_operator"]);
    const [left] = await open().query<{ count: number }>(
      "select count(*) as count from users where active = 1",
    );
    assert.equal(Number(left?.count), 1);
  });

  test("an operator who is off already, or a member, is never the last operator", async () => {
    await open().query("update users set active = 0");
    const accountId = await makeAccount(open().database);
    await insert();
    const off = await insert({ active: 0 });
    const member = await insert({ role: "member", account_id: accountId });
    for (const { id } of [off, member]) {
      const result = await run(changeUser, { id, revision: 1, change: { active: 0 }, at: now });
      assert.equal(result.kind, "changed");
    }
    const unknownUser = await run(changeUser, {
      id: "usr_none",
      revision: 1,
      change: { active: 0 },
      at: now,
    });
    assert.equal(unknownUser.kind, "overtaken");
  });

  test("an operator without a password does not count for one who can sign in, and can be withdrawn", async () => {
    await open().query("update users set active = 0");
    const [ada, invited] = [await insert(), await insert({ password: noPassword })];
    const leave = (id: string, revision = 1) =>
      run(changeUser, { id, revision, change: { active: 0 }, at: now }).then(({ kind }) => kind);
    assert.equal(await leave(ada.id), "last_operator");
    const demoted = { role: "member" as const, account_id: await makeAccount(open().database) };
    const demotion = await run(changeUser, { id: ada.id, revision: 1, change: demoted, at: now });
    assert.equal(demotion.kind, "last_operator");
    assert.equal(await leave(invited.id), "changed");
    assert.equal(await leave(ada.id), "last_operator");
    await run(changeUser, {
      id: invited.id,
      revision: 2,
      change: { active: 1, password: "chosen" },
      at: now,
    });
    assert.equal(await leave(ada.id), "changed");
    assert.equal(await leave(invited.id, 3), "last_operator");
    await open().query("update users set active = 0");
    const alone = await insert({ password: noPassword });
    assert.equal(await leave(alone.id), "last_operator", "of invited operators one stays");
  });

  test("each way to a new password, and being switched off, ends the set-up link", async () => {
    const at = now;
    const linkOf = async (userId: string) =>
      (await open().query("select hash from user_setup_links where user_id = ?", userId)).length;
    const invite = async () => {
      const user = await insert({ password: noPassword });
      const hash = fresh("link");
      const link = { user_id: user.id, hash, created_at: now, expires_at: now + 10 };
      assert.equal(await run(storeUserSetupLink, link), "stored");
      return { user, hash };
    };
    const recovered = await invite();
    const bystander = await invite();
    const hash = fresh("code");
    await run(storeSetupCode, { hash, created_at: now, expires_at: now + 10 });
    const again = userRow({ email: recovered.user.email, password: "new" });
    const consumed = await run(consumeSetupCode, { hash, user: again, recovers: true, at });
    assert.deepEqual(consumed, { kind: "made", id: recovered.user.id });
    assert.equal(await linkOf(recovered.user.id), 0);
    const late = { userId: recovered.user.id, hash: recovered.hash, password: "stolen", at };
    assert.equal(await run(consumeUserSetupLink, late), false);
    assert.equal((await run(findUser, recovered.user.id))?.password, "new");
    for (const change of [{ password: "new" }, { active: 0 as const }]) {
      const { user } = await invite();
      await run(changeUser, { id: user.id, revision: 1, change, at });
      assert.equal(await linkOf(user.id), 0);
    }
    const used = await invite();
    await run(consumeUserSetupLink, { userId: used.user.id, hash: used.hash, password: "new", at });
    assert.equal(await linkOf(used.user.id), 0);
    assert.equal(await linkOf(bystander.user.id), 1, "no other user's");
  });

  test("a new password or being switched off ends all of a user's sessions, and no other user's", async () => {
    const [user, other] = [await insert(), await insert()];
    let revision = user.revision;
    for (const change of [{ password: "new" }, { active: 0 as const }]) {
      const mine = [await start(user.id), await start(user.id)];
      const theirs = await start(other.id);
      assert.ok([...mine, theirs].every(({ started }) => started));
      await run(changeUser, { id: user.id, revision: revision++, change: { name: "x" }, at: now });
      assert.ok(await alive(mine[0]!.hash));
      await run(changeUser, { id: user.id, revision: revision++, change, at: now });
      for (const { hash } of mine) assert.equal(await alive(hash), false);
      assert.ok(await alive(theirs.hash));
      await run(changeUser, {
        id: user.id,
        revision: revision++,
        change: { password: `password of ${user.id}` },
        at: now,
      });
    }
  });

  test("a session starts only with the password in force, for a user who is on", async () => {
    const user = await insert();
    assert.equal((await start(user.id, {}, "another")).started, false);
    const off = await insert({ active: 0 });
    assert.equal((await start(off.id)).started, false);
    assert.equal((await start(user.id, { created_at: now + 7 })).started, true);
    assert.equal((await run(findUser, user.id))?.signed_in_at, now + 7);
  });

  test("a session is found until its end, until it is idle, and while its user is on", async () => {
    const user = await insert();
    const { hash } = await start(user.id, { expires_at: now + 1_000 });
    assert.ok(await alive(hash, now + 499));
    assert.equal(await alive(hash, now + 500), false);
    await run(touchSession, { hash, at: now + 600 });
    await run(touchSession, { hash, at: now + 100 });
    assert.ok(await alive(hash, now + 999), "use is never undone");
    assert.equal(await alive(hash, now + 1_000), false);
    await open().query("update users set active = 0 where id = ?", user.id);
    assert.equal(await alive(hash, now + 700), false);
    await open().query("update users set active = 1 where id = ?", user.id);
    await run(endSession, hash);
    assert.equal(await alive(hash, now + 700), false);
  });

  test("starting one replaces the browser's old one and forgets those that are over", async () => {
    const user = await insert();
    const old = await start(user.id);
    const over = sessionRow(user.id, { expires_at: now });
    const idle = sessionRow(user.id, { seen_at: now - 10 });
    const password = user.password;
    for (const session of [over, idle])
      await run(startSession, { session, password, replaces: null, idleSince: 0 });
    const next = sessionRow(user.id, { created_at: now + 1 });
    await run(startSession, { session: next, password, replaces: old.hash, idleSince: now - 5 });
    const rows = await open().query<{ hash: string }>("select hash from sessions where user_id = ?", user.id);
    assert.deepEqual(
      rows.map(({ hash }) => hash),
      [next.hash],
    );
  });

  test("a code is spent once, however many come at once", async () => {
    const hash = fresh("code");
    await run(storeSetupCode, { hash, created_at: now, expires_at: now + 10 });
    assert.equal(await run(findSetupCode, { hashes: ["x", hash], now }), hash);
    assert.equal(await run(findSetupCode, { hashes: [hash], now: now + 10 }), null);
    const { database, other } = open();
    const results = await Promise.all(
      [database, other, database, other].map((each) =>
        each.run(consumeSetupCode, { hash, user: userRow(), recovers: false, at: now }),
      ),
    );
    const kinds = results.map(({ kind }) => kind).sort();
    assert.deepEqual(kinds, ["made", "wrong_code", "wrong_code", "wrong_code"]);
  });

  test("a code that cannot be spent stays: the address is taken; one for recovery changes that user", async () => {
    const user = await insert({ role: "member", active: 0 });
    const hash = fresh("code");
    await run(storeSetupCode, { hash, created_at: now, expires_at: now + 10 });
    const again = userRow({ email: user.email, password: "new" });
    const spend = (recovers: boolean) => run(consumeSetupCode, { hash, user: again, recovers, at: now });
    assert.deepEqual(await spend(false), { kind: "taken" });
    assert.deepEqual(await spend(true), { kind: "made", id: user.id });
    const changed = await run(findUser, user.id);
    assert.deepEqual(
      [changed?.role, changed?.active, changed?.password, changed?.created_at],
      ["operator", 1, "new", user.created_at],
    );
    assert.deepEqual(await spend(true), { kind: "wrong_code" });
  });
});

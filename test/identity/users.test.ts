// Users: roles and accounts that fit each other, and an installation that always keeps an operator.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { resumeSession } from "#identity/session.ts";
import { createUser, roleAccountIssue, updateUser, userPage } from "#identity/users.ts";
import { enter, peopleDeps } from "../accounts/deps.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { fresh, makeAccount } from "../store/rows.ts";

let store: Store;
let accountId: string;
before(async () => {
  store = await openStore("sqlite");
  accountId = await makeAccount(store.database);
});
after(() => store.close());

const password = "correct horse battery";

async function made(role: "operator" | "member") {
  const deps = peopleDeps(store);
  const email = `${fresh("ann")}@acme.test`;
  const options = { email, name: "Ann", role, accountId: role === "member" ? accountId : null, password };
  const result = await createUser(deps, options);
  assert.ok(result.kind === "saved");
  return { deps, email, id: result.user.id };
}

test("the last active operator cannot be switched off or made a member; with a second one they can", async () => {
  const one = await made("operator");
  for (const options of [{ active: false }, { role: "member" as const, accountId }])
    assert.deepEqual(await updateUser(one.deps, one.id, options), { kind: "last_operator" });
  assert.equal((await updateUser(one.deps, one.id, { name: "Still Ann" })).kind, "saved");
  const two = await made("operator");
  assert.equal((await updateUser(one.deps, one.id, { active: false })).kind, "saved");
  assert.deepEqual(await updateUser(two.deps, two.id, { active: false }), { kind: "last_operator" });
  assert.equal((await updateUser(one.deps, one.id, { active: false })).kind, "saved", "again is fine");
});

test("members have an account that exists, operators none", async () => {
  const { database } = store;
  assert.equal(await roleAccountIssue(database, "member", accountId), null);
  assert.equal(await roleAccountIssue(database, "operator", null), null);
  assert.match((await roleAccountIssue(database, "member", null)) ?? "", /needed/);
  assert.match((await roleAccountIssue(database, "operator", accountId)) ?? "", /only/);
  assert.match((await roleAccountIssue(database, "member", "acc_none")) ?? "", /exist/);
  const member = await made("member");
  const became = await updateUser(member.deps, member.id, { role: "operator" });
  assert.ok(became.kind === "saved");
  assert.deepEqual([became.user.role, became.user.account_id], ["operator", null]);
  const back = await updateUser(member.deps, member.id, { role: "member" });
  assert.deepEqual(back.kind === "invalid" && back.issues[0]?.path, ["account"]);
});

test("an address is given once, and a bad password not at all", async () => {
  const { deps, email } = await made("member");
  const options = { email, name: "Bob", role: "member" as const, accountId, password };
  assert.deepEqual(await createUser(deps, { ...options, email: email.toUpperCase() }), {
    kind: "invalid",
    issues: [{ path: ["email"], message: "is taken" }],
  });
  const short = await createUser(deps, { ...options, email: "bob@acme.test", password: "short" });
  assert.deepEqual(short.kind === "invalid" && short.issues[0]?.path, ["password"]);
});

test("a change meets others: it is made on what is stored then, or refused with the revision that was seen", async () => {
  const { deps, id } = await made("member");
  let raced = false;
  const database: typeof deps.database = {
    ...deps.database,
    async run(operation, input) {
      if (operation.name === "changeUser" && !raced) {
        raced = true;
        assert.equal((await updateUser(deps, id, { active: false })).kind, "saved");
      }
      return await deps.database.run(operation, input);
    },
  };
  let hashed = 0;
  const passwords = {
    ...deps.passwords,
    hash: async (text: string) => {
      hashed += 1;
      return await deps.passwords.hash(text);
    },
  };
  const both = await updateUser({ ...deps, database, passwords }, id, { name: "Renamed", password });
  assert.ok(both.kind === "saved");
  assert.deepEqual([both.user.name, both.user.active, both.user.revision, hashed], ["Renamed", 0, 3, 1]);
  assert.deepEqual(await updateUser(deps, id, { name: "Late", revision: 2 }), { kind: "overtaken" });
  const seen = await updateUser(deps, id, { name: "Seen", revision: 3 });
  assert.equal(seen.kind === "saved" && seen.user.revision, 4);
});

test("a password reset ends the user's sessions, and the new one is in force", async () => {
  const { deps, email, id } = await made("member");
  const session = await enter(deps, { email, password, replaced: null });
  assert.ok(session.kind === "signed_in");
  assert.equal((await updateUser(deps, id, { name: "Ann B." })).kind, "saved");
  assert.ok(await resumeSession(deps, session.secret));
  assert.equal((await updateUser(deps, id, { password: "short" })).kind, "invalid");
  assert.equal((await updateUser(deps, id, { password: "another long password" })).kind, "saved");
  assert.equal(await resumeSession(deps, session.secret), null);
  const again = await enter(deps, { email, password: "another long password", replaced: null });
  assert.equal(again.kind, "signed_in");
});

test("an unknown user is not found, and pages are newest first", async () => {
  const { deps, id } = await made("member");
  assert.deepEqual(await updateUser(deps, "usr_none", { name: "x" }), { kind: "not_found" });
  const page = await userPage(store.database, { accountId: null, search: null, before: null, limit: 200 });
  const ids = page.map((user) => user.id);
  assert.deepEqual(ids, [...ids].sort().reverse());
  assert.ok(ids.includes(id));
});

// Signing in: who is refused learns nothing, by words or by work; and one's own password takes the current one.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { resumeSession } from "#identity/session.ts";
import { changePassword, normaliseEmail } from "#identity/sign-in.ts";
import { createUser, updateUser } from "#identity/users.ts";
import { listAuditEntries } from "#store/identity/audit.ts";
import { enter, peopleDeps } from "../accounts/deps.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { fresh, makeAccount } from "../store/rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

const password = "correct horse battery";

async function member() {
  const deps = peopleDeps(store);
  const accountId = await makeAccount(store.database);
  const email = `${fresh("ann")}@acme.test`;
  const person = { email, name: "Ann", role: "member" as const, accountId, password };
  const made = await createUser(deps, person);
  assert.ok(made.kind === "saved");
  return { deps, user: made.user, email };
}

test("the address is the same in any case, the password is not", async () => {
  const { deps, email } = await member();
  const replaced = null;
  assert.equal(normaliseEmail(" ANN@Acme.test "), "ann@acme.test");
  assert.equal((await enter(deps, { email: email.toUpperCase(), password, replaced })).kind, "signed_in");
  assert.equal((await enter(deps, { email, password: password.toUpperCase(), replaced })).kind, "refused");
});

test("an unknown address, a wrong password and a user who is switched off: one answer, one hash compared", async () => {
  const { deps, user, email } = await member();
  const attempt = (address: string, attempted: string) =>
    enter(deps, { email: address, password: attempted, replaced: null });
  const unknown = await attempt("unknown@acme.test", password);
  const wrong = await attempt(email, "another password");
  await updateUser(deps, user.id, { active: false });
  const off = await attempt(email, password);
  assert.deepEqual([unknown, wrong, off], Array(3).fill({ kind: "refused" }));
  assert.deepEqual(deps.verified, [null, user.password, user.password]);
});

test("the stored hash does not sign in", async () => {
  const { deps, user, email } = await member();
  const attempt = await enter(deps, { email, password: user.password, replaced: null });
  assert.equal(attempt.kind, "refused");
});

test("attempts are in the audit log with the address, cut; never with a password", async () => {
  const { deps, user, email } = await member();
  await enter(deps, { email, password, replaced: null });
  await enter(deps, {
    email: `${"x".repeat(300)}@acme.test`,
    password: "a typed password",
    replaced: null,
  });
  const filter = { accountId: null, actorId: null, action: "signIn", before: null, limit: 200 };
  const entries = await store.database.run(listAuditEntries, filter);
  const right = entries.find((entry) => entry.actor_id === user.id);
  const refused = entries.find((entry) => entry.actor_name.startsWith("xxx"));
  assert.deepEqual([right?.actor_kind, right?.actor_id, right?.outcome], ["user", user.id, "200"]);
  assert.deepEqual(
    [refused?.actor_kind, refused?.actor_id, refused?.outcome],
    ["anonymous", null, "refused"],
  );
  assert.equal(refused?.actor_name, "x".repeat(100));
  assert.equal(JSON.stringify([refused, right]).includes("a typed password"), false);
});

test("too many at once are refused, and nothing is written down", async () => {
  const { deps, email } = await member();
  const wrong = { email, password: "another password", replaced: null };
  const kinds = (await Promise.all(Array.from({ length: 30 }, () => enter(deps, wrong)))).map(
    ({ kind }) => kind,
  );
  assert.ok(kinds.includes("busy"));
  assert.equal(kinds.includes("signed_in"), false);
});

test("a password that an operator replaced while it was checked is not brought back", async () => {
  const { deps, user, email } = await member();
  const passwords = {
    ...deps.passwords,
    async hash(text: string) {
      if (text === "what a thief wants")
        await updateUser(deps, user.id, { password: "the operator's choice" });
      return await deps.passwords.hash(text);
    },
  };
  const input = { current: password, password: "what a thief wants" };
  assert.deepEqual(await changePassword({ ...deps, passwords }, user.id, input), { kind: "overtaken" });
  const attempt = await enter(deps, { email, password: "the operator's choice", replaced: null });
  assert.equal(attempt.kind, "signed_in");
});

test("changing one's password takes the current one, ends every session, and gives a new one", async () => {
  const { deps, user, email } = await member();
  const sessions: string[] = [];
  for (let i = 0; i < 2; i++) {
    const result = await enter(deps, { email, password, replaced: null });
    assert.ok(result.kind === "signed_in");
    sessions.push(result.secret);
  }
  const change = (current: string, next: string) =>
    changePassword(deps, user.id, { current, password: next });
  assert.deepEqual(await change("another password", "a new long password"), { kind: "wrong" });
  assert.equal((await change(password, "short")).kind, "invalid");
  assert.equal((await change(password, email.toUpperCase())).kind, "invalid");
  for (const secret of sessions) assert.ok(await resumeSession(deps, secret));
  const changed = await change(password, "a new long password");
  assert.ok(changed.kind === "changed");
  for (const secret of sessions) assert.equal(await resumeSession(deps, secret), null);
  assert.equal((await resumeSession(deps, changed.secret))?.recentlySignedIn, true);
  assert.equal((await enter(deps, { email, password, replaced: null })).kind, "refused");
});

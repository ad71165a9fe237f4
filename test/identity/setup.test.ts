// Set-up codes: once, for a day, and for one address when made for it.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { resumeSession } from "#identity/session.ts";
import { createSetupCode, setUp, setupCodeTtlMs } from "#identity/setup.ts";
import { changeUser, findUserByEmail } from "#store/identity/users.ts";
import { enter, type PeopleDeps, peopleDeps } from "../accounts/deps.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { fresh } from "../store/rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

const password = "correct horse battery";
const address = () => `${fresh("ann")}@acme.test`;

const spend = (deps: PeopleDeps, code: string, email: string, newPassword = password) =>
  setUp(deps, { code, email, name: "Ann", password: newPassword, replaced: null });

test("a code makes one operator, signed in, and is gone", async () => {
  const deps = peopleDeps(store);
  const code = await createSetupCode(deps);
  assert.match(code, /^tls_[A-Za-z0-9_-]{43}$/);
  assert.equal(JSON.stringify(await store.query("select * from setup_codes")).includes(code), false);
  const email = address();
  const made = await spend(deps, code, email.toUpperCase());
  assert.ok(made.kind === "set_up");
  const session = await resumeSession(deps, made.secret);
  assert.deepEqual([session?.principal.role, session?.principal.name], ["operator", email]);
  assert.equal((await spend(deps, code, address())).kind, "wrong_code");
});

test("a wrong code costs no hash, and tells nothing about the rest", async () => {
  const deps = peopleDeps(store);
  deps.passwords.hash = () => assert.fail("hashed");
  for (const code of ["", "tls_x", "x".repeat(200)])
    assert.deepEqual(await spend(deps, code, "x", "short"), { kind: "wrong_code" });
});

test("a code ends after a day", async () => {
  const deps = peopleDeps(store);
  const code = await createSetupCode(deps);
  await deps.clock.advance(setupCodeTtlMs);
  assert.equal((await spend(deps, code, address())).kind, "wrong_code");
  await createSetupCode(deps);
  const rows = await store.query("select * from setup_codes where expires_at <= ?", deps.clock.now());
  assert.equal(rows.length, 0, "and is forgotten");
});

test("of two who spend it at once, one is made", async () => {
  const deps = peopleDeps(store);
  const code = await createSetupCode(deps);
  const both = await Promise.all([spend(deps, code, address()), spend(deps, code, address())]);
  assert.deepEqual(both.map(({ kind }) => kind).sort(), ["set_up", "wrong_code"]);
});

test("what is refused does not spend it", async () => {
  const deps = peopleDeps(store);
  const email = address();
  assert.equal((await spend(deps, await createSetupCode(deps), email)).kind, "set_up");
  const code = await createSetupCode(deps);
  assert.equal((await spend(deps, code, address(), "short")).kind, "invalid");
  assert.deepEqual(await spend(deps, code, email, "another long one"), { kind: "taken" });
  assert.equal((await enter(deps, { email, password, replaced: null })).kind, "signed_in");
  assert.equal((await spend(deps, code, address())).kind, "set_up");
});

test("a code for an address works for it alone, and brings back who lost the password", async () => {
  const deps = peopleDeps(store);
  const email = address();
  const first = await spend(deps, await createSetupCode(deps), email);
  assert.ok(first.kind === "set_up");
  const user = await store.database.run(findUserByEmail, email);
  await store.database.run(changeUser, {
    id: user!.id,
    revision: 1,
    change: { role: "member", active: 0 },
    at: 0,
  });
  const code = await createSetupCode(deps, ` ${email.toUpperCase()}`);
  assert.equal((await spend(deps, code, address())).kind, "wrong_code");
  const back = await spend(deps, code, email, "another long password");
  assert.ok(back.kind === "set_up");
  assert.equal(await resumeSession(deps, first.secret), null, "old sessions end");
  const session = await resumeSession(deps, back.secret);
  assert.deepEqual([session?.principal.id, session?.principal.role], [user!.id, "operator"]);
  assert.equal((await spend(deps, code, email)).kind, "wrong_code");
});

// Set-up links of users: the person alone chooses the password, once, within a day.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { resumeSession } from "#identity/session.ts";
import { createSetupCode, setUp } from "#identity/setup.ts";
import { createUserSetupCode, setUpUser, userOfSetupCode, userSetupLinkTtlMs } from "#identity/user-setup.ts";
import { createUser } from "#identity/users.ts";
import { enter, peopleDeps } from "../accounts/deps.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { fresh } from "../store/rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

const password = "correct horse battery";

async function invited() {
  const deps = peopleDeps(store);
  const email = `${fresh("ann")}@acme.test`;
  const made = await createUser(deps, { email, name: "Ann", role: "operator", accountId: null });
  assert.ok(made.kind === "saved");
  const { id } = made.user;
  const newCode = async () => {
    const created = await createUserSetupCode(deps, id);
    assert.ok(created.kind === "created");
    return created.code;
  };
  const choose = (code: string, text = password) => setUpUser(deps, { code, password: text, replaced: null });
  return { deps, email, id, newCode, choose };
}

test("until the link is used no password signs in; then the chosen one does, and the link is gone", async () => {
  const { deps, email, id, newCode, choose } = await invited();
  const code = await newCode();
  assert.match(code, /^tlu_[A-Za-z0-9_-]{43}$/);
  assert.equal(JSON.stringify(await store.query("select * from user_setup_links")).includes(code), false);
  for (const text of ["", password])
    assert.equal((await enter(deps, { email, password: text, replaced: null })).kind, "refused");
  assert.equal((await userOfSetupCode(deps, code))?.email, email);
  assert.equal((await choose(code, "short")).kind, "invalid");
  assert.equal((await choose(code, email)).kind, "invalid");
  const entered = await choose(code);
  assert.ok(entered.kind === "set_up");
  assert.equal((await resumeSession(deps, entered.secret))?.principal.id, id);
  assert.equal((await choose(code)).kind, "wrong_code");
  assert.equal((await enter(deps, { email, password, replaced: null })).kind, "signed_in");
});

test("a link ends after a day, and with the next one; a wrong code costs no hash", async () => {
  const { deps, newCode, choose } = await invited();
  const [first, second] = [await newCode(), await newCode()];
  assert.deepEqual([(await choose(first)).kind, await userOfSetupCode(deps, first)], ["wrong_code", null]);
  await deps.clock.advance(userSetupLinkTtlMs);
  deps.passwords.hash = () => assert.fail("hashed");
  for (const code of ["", "tlu_x", second])
    assert.deepEqual(await choose(code, "short"), { kind: "wrong_code" });
});

test("a user's code makes no operator, and an operator's code chooses no password", async () => {
  const { deps, email, newCode, choose } = await invited();
  const code = await newCode();
  const input = { name: "Ann", password, replaced: null };
  for (const address of [email, `${fresh("eve")}@acme.test`])
    assert.equal((await setUp(deps, { ...input, code, email: address })).kind, "wrong_code");
  assert.equal((await choose(await createSetupCode(deps, email))).kind, "wrong_code");
});

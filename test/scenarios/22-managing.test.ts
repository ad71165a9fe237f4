// The first minutes of an installation: a code from the console, the first operator, an account with a person who
// looks after it, a token for a program; and afterwards the log that says who did all that.

import assert from "node:assert/strict";
import { test } from "node:test";
import { listAuditEntries } from "#store/identity/audit.ts";
import { type Harness, harness, someEngines } from "../harness.ts";
import { type Browser, bearer, browserOf, type Entry, type Method, manage } from "../http/managing.ts";

const operator = { email: "Olga@acme.test", name: "Olga", password: "correct horse battery" };
const member = { email: "mia@acme.test", name: "Mia", role: "member", password: "staple of many colours" };

/** What a page of ours does in this browser. */
const pageOf = (it: Harness, browser: Browser) => async (method: Method, path: string, body?: object) => {
  const reply = await manage(it, method, path, {
    headers: browser.headers,
    ...(body === undefined ? {} : { body }),
  });
  const shown = reply.body === "" ? {} : reply.json();
  return { status: reply.statusCode, ...(shown as { data: never; code?: string }) };
};

for (const engine of someEngines(import.meta.filename)) {
  test(`from the first start to the audit log, on ${engine}`, async () => {
    const it = await harness({ engine });
    await it.system.createDefaultAccount();
    const unknownUser = await manage(it, "POST", "/session", {
      body: { email: "admin@acme.test", password: "admin" },
    });
    assert.equal(
      unknownUser.statusCode,
      401,
      "no user exists before the first operator, and no password is known",
    );

    // The console shows a code; with it the first operator is made, once.
    const code = await it.system.createSetupCode();
    const olga = browserOf(await manage(it, "POST", "/setup", { body: { ...operator, code } }));
    const asOlga = pageOf(it, olga);
    assert.equal((await manage(it, "POST", "/setup", { body: { ...operator, code } })).statusCode, 401);

    // An account, and Mia, who may look after it and nothing else.
    const account = await it.account({ name: "acme" });
    const other = await it.account({ name: "other" });
    const made = await asOlga("POST", "/users", { ...member, account: account.id });
    assert.equal(made.status, 201);
    const miaId: string = (made.data as { id: string }).id;
    const { email, password } = member;
    const mia = browserOf(await manage(it, "POST", "/session", { body: { email, password } }));
    const asMia = pageOf(it, mia);
    assert.equal((await asMia("GET", `/accounts/${account.id}/audit`)).status, 200);
    assert.equal((await asMia("GET", `/accounts/${other.id}/audit`)).status, 404);
    assert.equal((await asMia("POST", "/users", { ...member, role: "operator" })).status, 403);

    // A program gets a token for the account; it is no API key, and the API key is no token.
    const token = await asOlga("POST", "/tokens", { name: "crm", role: "member", account: account.id });
    const crm = token.data as { id: string; token: string };
    const asked = (headers: Record<string, string>) =>
      manage(it, "GET", `/accounts/${account.id}/audit`, { headers }).then(({ statusCode }) => statusCode);
    assert.equal(await asked(bearer(crm.token)), 200);
    assert.equal(await asked(bearer(account.key)), 401);
    it.as({ id: account.id, key: crm.token });
    assert.equal((await it.get("/api/account")).statusCode, 403);

    // Mia leaves: what her browser still has is worth nothing, and neither is the token when it is revoked.
    await it.advance(3_600_000);
    assert.equal((await asOlga("PATCH", `/users/${miaId}`, { active: false })).status, 200);
    assert.equal((await asMia("GET", "/session")).status, 401);
    assert.equal((await asOlga("DELETE", `/tokens/${crm.id}`)).status, 204);
    assert.equal(await asked(bearer(crm.token)), 401);
    const olgaId: string = ((await asOlga("GET", "/session")).data as { id: string }).id;
    assert.equal(
      (await asOlga("PATCH", `/users/${olgaId}`, { active: false })).status,
      409,
      "one operator has to stay",
    );

    // All of it is in the log, in order, without a password, a code or a token.
    const log = (await asOlga("GET", "/audit?limit=200")).data as Entry[];
    assert.deepEqual(
      log.reverse().map(({ actor, action, outcome }) => `${actor.name}: ${action} ${outcome}`),
      [
        "admin@acme.test: signIn refused",
        "command line: createSetupCode done",
        "olga@acme.test: setUp 200",
        "olga@acme.test: createUser 201",
        "mia@acme.test: signIn 200",
        "olga@acme.test: createManagementToken 201",
        "olga@acme.test: updateUser 200",
        "olga@acme.test: revokeManagementToken 204",
        "olga@acme.test: updateUser 409",
      ],
    );
    const text = JSON.stringify(log) + it.log.text();
    for (const secret of [operator.password, member.password, code, crm.token, account.key, olga.csrfToken])
      assert.equal(text.includes(secret), false);

    // A day later Olga has to sign in again.
    await it.advance(24 * 3_600_000);
    assert.equal((await asOlga("GET", "/session")).status, 401);
    await it.close();
  });
}

test("who was about to change something when the process died is in the log as `started`", async () => {
  const it = await harness({ started: false });
  const code = await it.system.createSetupCode();
  const olga = browserOf(await manage(it, "POST", "/setup", { body: { ...operator, code } }));
  const { run } = it.system.database;
  // As after `kill -9`: what was asked of the database from here on never comes back.
  it.system.database.run = (operation, input) =>
    operation.name === "finishAuditEntry" ? new Promise<never>(() => {}) : run(operation, input);
  const body = { name: "crm", role: "operator" };
  void manage(it, "POST", "/tokens", { headers: olga.headers, body });
  await it.settle();
  const filter = { accountId: null, actorId: null, action: "createManagementToken", before: null, limit: 1 };
  const [entry] = await run(listAuditEntries, filter);
  assert.deepEqual([entry?.outcome, entry?.actor_name], ["started", "olga@acme.test"]);
  await it.kill();
  await it.close();
});

// Users over HTTP: only operators, only listed fields, always one operator left.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { type Harness, harness } from "../../../../harness.ts";
import { auditOf, bearer, manage, passwordOf, signedIn, tokenFor, userFor } from "../../../managing.ts";

let it: Harness;
let account: { id: string };
let operator: Record<string, string>;
let operatorId: string;
before(async () => {
  it = await harness({ started: false });
  account = await it.account();
  operatorId = await userFor(it, "op@acme.test");
  operator = (await signedIn(it, "op@acme.test")).headers;
});
after(() => it?.close());

const make = (body: object) => manage(it, "POST", "/users", { headers: operator, body });
const change = (id: string, body: object) => manage(it, "PATCH", `/users/${id}`, { headers: operator, body });
const bob = { email: "Bob@acme.test", name: "Bob", role: "member", password: "correct horse battery" };

test("a user is made, listed, and never shown with a password", async () => {
  const made = await make({ ...bob, account: account.id });
  assert.equal(made.statusCode, 201, made.body);
  const { data } = made.json();
  assert.deepEqual(data, {
    id: data.id,
    email: "bob@acme.test",
    name: "Bob",
    role: "member",
    account: account.id,
    active: true,
    set_up: true,
    revision: 1,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    signed_in_at: null,
    setup_link: null,
    setup_link_expires_at: null,
  });
  const page = await manage(it, "GET", "/users?limit=1", { headers: operator });
  const { setup_link: _link, ...shown } = data;
  const listed = { ...shown, account_name: page.json().data[0].account_name };
  assert.deepEqual([page.json().data, page.json().next_cursor], [[listed], data.id]);
  assert.equal(typeof listed.account_name, "string");
  for (const [query, count] of [
    ["search=BOB", 1],
    ["search=zoe", 0],
    [`account=${account.id}`, 1],
    ["account=acc_none", 0],
  ] as const) {
    const found = await manage(it, "GET", `/users?${query}`, { headers: operator });
    assert.equal(found.json().data.length, count, query);
  }
  const next = await manage(it, "GET", `/users?cursor=${data.id}`, { headers: operator });
  assert.deepEqual([next.json().data.length, next.json().next_cursor], [1, null]);
  for (const reply of [made, page, next]) assert.doesNotMatch(reply.body, /argon2|password/);
  const again = await make({ ...bob, account: account.id });
  assert.deepEqual([again.statusCode, again.json().errors], [422, { email: ["is taken"] }]);
  for (const query of ["limit=0", "limit=201", "cursor=%00", "page=2"])
    assert.equal((await manage(it, "GET", `/users?${query}`, { headers: operator })).statusCode, 422, query);
});

test("faults are reported by field", async () => {
  const faulty: [object, string][] = [
    [{ ...bob, email: "other@acme.test" }, "account"],
    [{ ...bob, email: "other@acme.test", role: "operator", account: account.id }, "account"],
    [{ ...bob, email: "other@acme.test", account: "acc_none" }, "account"],
    [{ ...bob, email: "nowhere", account: account.id }, "email"],
    [{ ...bob, email: "other@acme.test", account: account.id, password: "short" }, "password"],
    [{ ...bob, email: "x23456@acme.test", account: account.id, password: "X23456@acme.test" }, "password"],
    [{ ...bob, email: "other@acme.test", account: account.id, active: true }, "active"],
  ];
  for (const [body, field] of faulty) {
    const reply = await make(body);
    assert.deepEqual([reply.statusCode, Object.keys(reply.json().errors)], [422, [field]], reply.body);
  }
});

test("the last active operator stays, in every way one tries", async () => {
  for (const body of [
    { active: false },
    { role: "member", account: account.id },
    { active: false, name: "x" },
  ]) {
    const reply = await change(operatorId, body);
    assert.deepEqual([reply.statusCode, reply.json().code], [409, "conflict"]);
  }
  const second = await userFor(it, "second@acme.test");
  assert.equal((await change(second, { active: false })).statusCode, 200);
  assert.equal((await change(operatorId, { active: false })).statusCode, 409);
});

test("being switched off ends sessions at once; coming back takes signing in again", async () => {
  const id = await userFor(it, "carol@acme.test", account.id);
  const carol = await signedIn(it, "carol@acme.test", "198.51.100.1");
  const status = async () =>
    (await manage(it, "GET", "/session", { headers: { cookie: carol.cookie } })).statusCode;
  assert.equal(await status(), 200);
  assert.equal((await change(id, { active: false })).json().data.active, false);
  assert.equal(await status(), 401);
  assert.equal((await change(id, { active: true })).statusCode, 200);
  assert.equal(await status(), 401);
});

test("an operator resets another's password, ending their sessions, but not their own this way", async () => {
  const id = await userFor(it, "dave@acme.test", account.id);
  const dave = await signedIn(it, "dave@acme.test", "198.51.100.2");
  assert.equal((await change(id, { password: "another long password" })).statusCode, 200);
  const reply = await manage(it, "GET", "/session", { headers: { cookie: dave.cookie } });
  assert.equal(reply.statusCode, 401);
  assert.equal((await change(operatorId, { password: "another long password" })).statusCode, 403);
  await assert.rejects(signedIn(it, "dave@acme.test", "198.51.100.2"), /401/);
});

test("no user raises themselves: members reach no user, and bodies change listed fields alone", async () => {
  const id = await userFor(it, "eve@acme.test", account.id);
  const eve = (await signedIn(it, "eve@acme.test", "198.51.100.3")).headers;
  for (const headers of [eve, bearer(await tokenFor(it, account.id))]) {
    const raise = { role: "operator" };
    assert.equal((await manage(it, "PATCH", `/users/${id}`, { headers, body: raise })).statusCode, 403);
    assert.equal((await manage(it, "POST", "/users", { headers, body: bob })).statusCode, 403);
    assert.equal((await manage(it, "GET", "/users", { headers })).statusCode, 403);
  }
  const body = {
    current_password: passwordOf("eve@acme.test"),
    password: "a new long password",
    role: "operator",
  };
  assert.equal((await manage(it, "POST", "/session/password", { headers: eve, body })).statusCode, 422);
  for (const field of ["id", "email", "signed_in_at", "created_at", "password_hash", "account_id"])
    assert.equal((await change(id, { [field]: "x" })).statusCode, 422, field);
  const who = await manage(it, "GET", "/session", { headers: eve });
  assert.deepEqual([who.json().data.role, who.json().data.account], ["member", account.id]);
});

test("a change of role is in force with the next request", async () => {
  const id = await userFor(it, "frank@acme.test", account.id);
  const { cookie } = await signedIn(it, "frank@acme.test", "198.51.100.4");
  const list = async () => (await manage(it, "GET", "/users", { headers: { cookie } })).statusCode;
  assert.equal(await list(), 403);
  assert.equal((await change(id, { role: "operator" })).json().data.account, null);
  assert.equal(await list(), 200);
  assert.equal((await change(id, { role: "member", account: account.id })).statusCode, 200);
  assert.equal(await list(), 403);
});

test("who does not exist is not found, in any disguise", async () => {
  for (const id of [`usr_${"0".repeat(26)}`, "usr_x", "x", "%00", "..%2fsession", "usr_'"])
    assert.equal((await change(id, { name: "x" })).statusCode, 404, id);
});

test("without a password the reply has a link, of which the newest works once, and no other reply shows it", async () => {
  const { password: _password, ...invited } = { ...bob, email: "grace@acme.test" };
  const { data } = (await make({ ...invited, account: account.id })).json();
  assert.match(data.setup_link, /^https:\/\/[^/]+\/setup#tlu_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual([data.set_up, data.setup_link_expires_at], [false, "2026-01-02T00:00:00.000Z"]);
  const path = `/users/${data.id}/setup-link`;
  const second = await manage(it, "POST", path, { headers: operator });
  assert.equal(second.statusCode, 201, second.body);
  const codeOf = (link: string) => link.split("#")[1]!;
  const code = codeOf(second.json().data.setup_link);
  const listed = await manage(it, "GET", "/users?search=grace", { headers: operator });
  assert.deepEqual(
    [listed.json().data[0].setup_link_expires_at, listed.body.includes("tlu_")],
    ["2026-01-02T00:00:00.000Z", false],
  );
  const look = (body: object) => manage(it, "POST", "/setup/link", { body, from: "203.0.113.7" });
  assert.equal((await look({ code: codeOf(data.setup_link) })).statusCode, 401);
  assert.deepEqual((await look({ code })).json().data, { email: "grace@acme.test", name: "Bob" });
  const choose = (password: string) =>
    manage(it, "POST", "/setup/user", { body: { code, password }, from: "203.0.113.8" });
  assert.deepEqual(Object.keys((await choose("short")).json().errors), ["password"]);
  const entered = await choose("a long password of Grace");
  assert.equal(entered.statusCode, 200, entered.body);
  assert.deepEqual([entered.json().data.name, entered.json().data.account], ["grace@acme.test", account.id]);
  assert.equal((await choose("a long password of Grace")).statusCode, 401);
  const [, last] = (await auditOf(it)).slice(-2);
  assert.deepEqual([last?.action, last?.actor.name, last?.target], ["setUpUser", "grace@acme.test", data.id]);
  assert.equal(it.log.text().includes(code), false);
});

test("a link is made for active users by operators, and not for oneself", async () => {
  const id = await userFor(it, "hal@acme.test", account.id);
  const link = (user: string, headers = operator) =>
    manage(it, "POST", `/users/${user}/setup-link`, { headers });
  assert.equal((await link(operatorId)).statusCode, 403);
  assert.equal((await link(id, bearer(await tokenFor(it, account.id)))).statusCode, 403);
  assert.equal((await link(`usr_${"0".repeat(26)}`)).statusCode, 404);
  assert.equal((await link("usr_x")).statusCode, 404);
  await change(id, { active: false });
  assert.deepEqual([(await link(id)).statusCode, (await link(id)).json().code], [409, "conflict"]);
});

test("guesses at links count like guesses at set-up codes", async () => {
  const from = "203.0.113.9";
  const body = { code: "tlu_guess" };
  for (let i = 0; i < 5; i++) {
    assert.equal((await manage(it, "POST", "/setup/link", { body, from })).statusCode, 401);
    const chosen = { ...body, password: "correct horse battery" };
    assert.equal((await manage(it, "POST", "/setup/user", { body: chosen, from })).statusCode, 401);
  }
  assert.equal((await manage(it, "POST", "/setup/link", { body, from })).statusCode, 429);
});

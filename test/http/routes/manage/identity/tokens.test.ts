// Management tokens over HTTP: shown once, dead at once.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { ground, type Harness, harness } from "../../../../harness.ts";
import { bearer, manage, tokenFor } from "../../../managing.ts";

let it: Harness;
let account: { id: string; key: string };
let operator: Record<string, string>;
before(async () => {
  it = await harness({ started: false });
  account = await it.account();
  operator = bearer(await tokenFor(it));
});
after(() => it?.close());

const make = (body: object) => manage(it, "POST", "/tokens", { headers: operator, body });

test("a token is shown when it is made, and never again", async () => {
  const reply = await make({ name: "ci", role: "member", account: account.id });
  assert.equal(reply.statusCode, 201, reply.body);
  const { token, ...data } = reply.json().data;
  assert.match(token, /^tlm_[\w-]{43}$/);
  assert.deepEqual(data, {
    id: data.id,
    name: "ci",
    hint: `tlm_…${token.slice(-4)}`,
    role: "member",
    account: account.id,
    scopes: null,
    expires_at: null,
    last_used_at: null,
    created_at: "2026-01-01T00:00:00.000Z",
    revoked_at: null,
  });
  const list = await manage(it, "GET", "/tokens", { headers: operator });
  assert.deepEqual(list.json().data[0], data);
  assert.equal(list.body.includes(token), false);
  assert.equal(it.log.text().includes(token), false);
  const self = await manage(it, "GET", "/session", { headers: bearer(token) });
  assert.deepEqual([self.json().data.id, self.json().data.name], [data.id, "ci"]);
});

test("faults by field, of a name that is taken too", async () => {
  for (const [body, field] of [
    [{ role: "operator" }, "name"],
    [{ name: "x", role: "root" }, "role"],
    [{ name: "x", role: "member" }, "account"],
    [{ name: "x", role: "operator", account: account.id }, "account"],
    [{ name: "x", role: "operator", scopes: [] }, "scopes"],
    [{ name: "x", role: "operator", scopes: ["audit:read", "audit:read"] }, "scopes"],
    [{ name: "x", role: "operator", expires_at: "tomorrow" }, "expires_at"],
    [{ name: "x", role: "operator", expires_at: "2026-01-01T00:00:00Z" }, "expires_at"],
    [{ name: "x", role: "operator", token: "tlm_of_my_own_choice_that_is_long_enough" }, "token"],
  ] as const) {
    const reply = await make(body);
    assert.deepEqual([reply.statusCode, Object.keys(reply.json().errors)], [422, [field]], reply.body);
  }
  assert.equal((await make({ name: "twice", role: "operator" })).statusCode, 201);
  const again = await make({ name: "twice", role: "operator" });
  assert.deepEqual([again.statusCode, again.json().errors], [422, { name: ["is taken"] }]);
});

test("a revoked token is dead on the next request, also its own; revoking again is fine", async () => {
  const { id, token } = (await make({ name: "short-lived", role: "operator" })).json().data;
  const headers = bearer(token);
  assert.equal((await manage(it, "GET", "/tokens", { headers })).statusCode, 200);
  const revoked = await manage(it, "DELETE", `/tokens/${id}`, { headers });
  assert.deepEqual([revoked.statusCode, revoked.body], [204, ""]);
  const list = await manage(it, "GET", "/tokens", { headers: operator });
  const listed = list.json().data.find((entry: { id: string }) => entry.id === id);
  assert.equal(listed.revoked_at, "2026-01-01T00:00:00.000Z");
  assert.equal((await manage(it, "GET", "/tokens", { headers })).statusCode, 401);
  assert.equal((await manage(it, "DELETE", `/tokens/${id}`, { headers: operator })).statusCode, 204);
  assert.equal((await make({ name: "short-lived", role: "operator" })).statusCode, 201, "the name is free");
  for (const missing of [`tok_${"0".repeat(26)}`, "x", "%00"])
    assert.equal((await manage(it, "DELETE", `/tokens/${missing}`, { headers: operator })).statusCode, 404);
});

test("a token with an end says so, makes none that ends later, and is refused with when it ended", async (t) => {
  const at = await harness({ started: false });
  t.after(() => at.close());
  const first = bearer(await tokenFor(at));
  const asked = async (headers: Record<string, string>, body: object) =>
    await manage(at, "POST", "/tokens", { headers, body });
  const body = { name: "for an hour", role: "operator", expires_at: "2026-01-01T02:00:00+01:00" };
  const { id, token, expires_at } = (await asked(first, body)).json().data;
  assert.equal(expires_at, "2026-01-01T01:00:00.000Z");
  const headers = bearer(token);
  for (const [later, status] of [
    [null, 403],
    ["2026-01-01T01:00:00.001Z", 403],
    ["2026-01-01T01:00:00Z", 201],
  ] as const) {
    const reply = await asked(headers, { name: `later ${later}`, role: "operator", expires_at: later });
    assert.equal(reply.statusCode, status, reply.body);
  }
  const listed = (await manage(at, "GET", "/tokens", { headers: first }))
    .json()
    .data.find((entry: { id: string }) => entry.id === id);
  assert.equal(listed.last_used_at, "2026-01-01T00:00:00.000Z");
  await at.advance(3_600_000);
  const refused = await manage(at, "GET", "/session", { headers });
  assert.deepEqual(
    [refused.statusCode, refused.json().message, refused.headers["www-authenticate"]],
    [401, "This management token ended at 2026-01-01T01:00:00.000Z. Create another one.", "Bearer"],
  );
});

test("members make and see no tokens", async () => {
  const headers = bearer(await tokenFor(it, account.id));
  const body = { name: "mine", role: "operator" };
  assert.equal((await manage(it, "POST", "/tokens", { headers, body })).statusCode, 403);
  assert.equal((await manage(it, "GET", "/tokens", { headers })).statusCode, 403);
});

test("another process knows of a revoked token with its next request", async () => {
  const own = await ground("postgres");
  const one = await harness({ ground: own, started: false });
  const two = await harness({ ground: own, clock: one.clock, started: false });
  const first = bearer(await tokenFor(one));
  const body = { name: "shared", role: "operator" };
  const { id, token } = (await manage(one, "POST", "/tokens", { headers: first, body })).json().data;
  const there = async () => (await manage(two, "GET", "/session", { headers: bearer(token) })).statusCode;
  assert.equal(await there(), 200);
  assert.equal((await manage(one, "DELETE", `/tokens/${id}`, { headers: first })).statusCode, 204);
  assert.equal(await there(), 401);
  await two.close();
  await one.close();
  await own.remove();
});

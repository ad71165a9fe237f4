// Signing in and out over HTTP: fixation, reuse, guessing, another site's page, and the cookie.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { findUserByEmail } from "#store/identity/users.ts";
import { type Harness, harness } from "../../../../harness.ts";
import {
  auditOf,
  bearer,
  browserOf,
  manage,
  passwordOf,
  signedIn,
  tokenFor,
  userFor,
} from "../../../managing.ts";

let it: Harness;
let account: { id: string };
before(async () => {
  it = await harness({ started: false });
  account = await it.account();
  await userFor(it, "op@acme.test");
});
after(() => it?.close());

let clients = 0;
/** An address that has made no attempts yet. */
const client = () => `198.51.100.${++clients}`;
const attempt = (email: string, password: string, headers: Record<string, string> = {}, from = client()) =>
  manage(it, "POST", "/session", { body: { email, password }, headers, from });
const status = async (cookie: string) =>
  (await manage(it, "GET", "/session", { headers: { cookie } })).statusCode;

test("signing in sets a cookie for this host alone, and says who it is", async () => {
  const id = await userFor(it, "member@acme.test", account.id);
  const reply = await attempt("Member@Acme.test", passwordOf("member@acme.test"));
  assert.match(
    String(reply.headers["set-cookie"]?.[0]),
    /^__Host-trunkline=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  const { data } = reply.json();
  assert.deepEqual(data, {
    kind: "user",
    id,
    name: "member@acme.test",
    role: "member",
    account: account.id,
    scopes: null,
    csrf_token: data.csrf_token,
    fresh: true,
  });
  const { cookie } = browserOf(reply);
  assert.deepEqual((await manage(it, "GET", "/session", { headers: { cookie } })).json().data, data);
  assert.equal(reply.headers["cache-control"], "no-store");
});

test("a token sees itself, has nothing to sign out of and no password to change", async () => {
  const headers = bearer(await tokenFor(it, account.id));
  const { data } = (await manage(it, "GET", "/session", { headers })).json();
  assert.deepEqual(
    [data.kind, data.role, data.account, data.csrf_token, data.fresh],
    ["token", "member", account.id, null, false],
  );
  assert.equal((await manage(it, "DELETE", "/session", { headers })).statusCode, 409);
  const body = { current_password: "x", password: "a new long password" };
  assert.equal((await manage(it, "POST", "/session/password", { headers, body })).statusCode, 409);
});

test("fixation: a session that an attacker planted is not the one that is signed in", async () => {
  const planted = await signedIn(it, "op@acme.test", client());
  const secret = planted.cookie.split("=")[1]!;
  for (const value of [secret, "x".repeat(43), "chosen"]) {
    const cookie = `__Host-trunkline=${value}`;
    const browser = browserOf(await attempt("op@acme.test", passwordOf("op@acme.test"), { cookie }));
    assert.notEqual(browser.cookie, cookie);
    assert.equal(await status(cookie), 401, "the old one is dead");
    assert.equal(await status(browser.cookie), 200);
  }
});

test("two users in one browser: the second one's sign-in ends the first one's session", async () => {
  await userFor(it, "second@acme.test");
  const first = await signedIn(it, "op@acme.test", client());
  const { cookie } = first;
  const second = browserOf(await attempt("second@acme.test", passwordOf("second@acme.test"), { cookie }));
  assert.equal(await status(first.cookie), 401);
  const who = await manage(it, "GET", "/session", { headers: { cookie: second.cookie } });
  assert.equal(who.json().data.name, "second@acme.test");
});

test("after signing out the cookie is dead, here and not only in the browser", async () => {
  const { cookie, headers } = await signedIn(it, "op@acme.test", client());
  const reply = await manage(it, "DELETE", "/session", { headers });
  assert.deepEqual([reply.statusCode, reply.body], [204, ""]);
  assert.match(String(reply.headers["set-cookie"]), /^__Host-trunkline=; .*Max-Age=0/);
  assert.equal(await status(cookie), 401);
  assert.equal((await manage(it, "DELETE", "/session", { headers })).statusCode, 401);
});

test("twelve hours without use, or seven days with it, end a session", async () => {
  await userFor(it, "idle@acme.test");
  const { cookie } = await signedIn(it, "idle@acme.test", client());
  const hour = 3_600_000;
  await it.advance(11 * hour);
  assert.equal(await status(cookie), 200);
  await it.advance(11 * hour);
  assert.equal(await status(cookie), 200);
  await it.advance(12 * hour);
  assert.equal(await status(cookie), 401);
});

test("guessing: the same answer for unknown and known addresses, the same refusal for a stored hash", async () => {
  const row = await it.system.database.run(findUserByEmail, "op@acme.test");
  const replies = [
    await attempt("unknown@acme.test", "a wrong password"),
    await attempt("op@acme.test", "a wrong password"),
    await attempt("op@acme.test", row!.password),
    await attempt("no address at all", "x"),
  ];
  for (const reply of replies) {
    assert.equal(reply.statusCode, 401);
    assert.equal(reply.body, replies[0]!.body);
    assert.equal(reply.headers["set-cookie"], undefined);
    assert.equal(reply.headers["www-authenticate"], "Bearer");
  }
});

test("ten attempts a minute of a network at an address, in any case; right ones count too", async () => {
  await userFor(it, "target@acme.test");
  const from = client();
  for (let i = 0; i < 10; i++) {
    const email = i % 2 ? "target@acme.test" : " TARGET@acme.test";
    assert.equal((await attempt(email, "a wrong password", {}, from)).statusCode, 401);
  }
  const right = ["target@acme.test", passwordOf("target@acme.test")] as const;
  const refused = await attempt(...right, {}, from);
  assert.deepEqual(
    [refused.statusCode, refused.json().code, refused.headers["retry-after"]],
    [429, "rate_limited", "6"],
  );
  assert.equal((await attempt("op@acme.test", passwordOf("op@acme.test"), {}, from)).statusCode, 200);
});

test("attempts above the limit are not written down; those below are, without the password", async () => {
  const entries = (await auditOf(it, "?action=signIn&limit=200")).filter(
    ({ actor }) => actor.name === "target@acme.test",
  );
  assert.equal(entries.length, 10);
  assert.deepEqual(
    [...new Set(entries.map(({ outcome, actor }) => `${outcome} ${actor.kind}`))],
    ["refused anonymous"],
  );
  assert.equal(it.log.text().includes("a wrong password"), false);
});

test("another site's page can sign no user in", async () => {
  const right = ["op@acme.test", passwordOf("op@acme.test")] as const;
  for (const headers of [
    { origin: "https://elsewhere.test" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site", origin: "https://sub.trunkline.test" },
  ]) {
    const reply = await attempt(...right, headers as unknown as Record<string, string>);
    assert.deepEqual([reply.statusCode, reply.headers["set-cookie"]], [403, undefined]);
  }
  const plain = await attempt(...right, { "content-type": "text/plain" });
  assert.equal(plain.statusCode, 415);
});

test("changing one's own password takes the current one; every other session ends, this browser goes on", async () => {
  await userFor(it, "changing@acme.test");
  const here = await signedIn(it, "changing@acme.test", client());
  const there = await signedIn(it, "changing@acme.test", client());
  const current = passwordOf("changing@acme.test");
  const change = (body: object) =>
    manage(it, "POST", "/session/password", { headers: here.headers, body, from: client() });
  const wrong = await change({ current_password: "a wrong password", password: "a new long password" });
  assert.deepEqual([wrong.statusCode, Object.keys(wrong.json().errors)], [422, ["current_password"]]);
  const weak = await change({ current_password: current, password: "short" });
  assert.deepEqual([weak.statusCode, Object.keys(weak.json().errors)], [422, ["password"]]);
  assert.equal(await status(there.cookie), 200);
  const next = browserOf(await change({ current_password: current, password: "a new long password" }));
  assert.deepEqual(
    [await status(here.cookie), await status(there.cookie), await status(next.cookie)],
    [401, 401, 200],
  );
  assert.equal((await attempt("changing@acme.test", current)).statusCode, 401);
  assert.equal((await attempt("changing@acme.test", "a new long password")).statusCode, 200);
});

test("a flood: two are hashed, twenty wait, the rest get 429 with Retry-After", async () => {
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, i) => attempt(`flood${i}@acme.test`, "a wrong password")),
  );
  const busy = replies.filter(({ statusCode }) => statusCode === 429);
  assert.ok(busy.length > 0);
  for (const reply of busy) assert.equal(reply.headers["retry-after"], "1");
  assert.ok(replies.every(({ statusCode }) => statusCode === 429 || statusCode === 401));
});

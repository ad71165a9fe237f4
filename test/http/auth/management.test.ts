// The gate: who asks, whether our own page asks, whether they may, and only then the body; and the audit log
// that no change can get around.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { type Harness, harness } from "../../harness.ts";
import { inject } from "../../inject.ts";
import { auditOf, bearer, browserOf, manage, passwordOf, signedIn, tokenFor, userFor } from "../managing.ts";

let it: Harness;
let account: { id: string; key: string };
let other: { id: string; key: string };
before(async () => {
  it = await harness({ started: false });
  other = await it.account({ name: "other" });
  account = await it.account({ name: "acme" });
  await userFor(it, "op@acme.test");
  await userFor(it, "member@acme.test", account.id);
});
after(() => it?.close());

const refusal = { success: false, message: "Sign in, or send a management token.", code: "unauthenticated" };
const forbidden = { success: false, message: "You do not have permission.", code: "forbidden" };
const notFound = { success: false, message: "Not found.", code: "not_found" };

test("without a credential, and with any that is not valid here: 401 with its challenge", async () => {
  const token = await tokenFor(it);
  const wrong: Record<string, string>[] = [
    {},
    bearer("tlm_unknown"),
    bearer(`${token}x`),
    bearer(token.toUpperCase()),
    bearer("x".repeat(600)),
    { authorization: "Bearer" },
    { authorization: `Bearer ${token} ${token}` },
    { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` },
    { "api-key": token },
    { cookie: `__Host-trunkline=${token}` },
    { cookie: "__Host-trunkline=" },
  ];
  for (const headers of wrong) {
    const reply = await manage(it, "GET", "/users", { headers });
    assert.deepEqual([reply.statusCode, reply.json()], [401, refusal], JSON.stringify(headers));
    assert.equal(reply.headers["www-authenticate"], "Bearer");
  }
  for (const headers of [bearer(account.key), bearer("tlp_unknown"), { "api-key": account.key }]) {
    const reply = await manage(it, "GET", "/users", { headers });
    assert.deepEqual([reply.statusCode, reply.json().code], [401, "unauthenticated"]);
    assert.match(reply.json().message, /^This is an API key\. The management API takes a management token/);
  }
  const inQuery = await manage(it, "GET", `/users?api_key=${account.key}&token=${token}`);
  assert.equal(inQuery.statusCode, 401);
});

test("a management token is no key of the channel endpoints, and neither is a session", async () => {
  const token = await tokenFor(it, account.id);
  const { cookie } = await signedIn(it, "op@acme.test");
  for (const headers of [bearer(token), { "api-key": token }, { cookie }]) {
    const reply = await inject(it.system.app, { method: "GET", url: "/api/account", headers });
    assert.equal(reply.statusCode, 403);
    assert.equal(reply.json().error, "Invalid Api Key");
  }
});

test("an account is found by its name as by its id, by those who may manage it alone", async () => {
  const operator = bearer(await tokenFor(it));
  const member = bearer(await tokenFor(it, account.id));
  const read = async (headers: Record<string, string>, named: string) => {
    const reply = await manage(it, "GET", `/accounts/${named}`, { headers });
    return reply.statusCode === 200 ? reply.json().data.id : reply.statusCode;
  };
  assert.deepEqual(
    [await read(operator, "acme"), await read(operator, "other"), await read(operator, "none")],
    [account.id, other.id, 404],
  );
  assert.deepEqual([await read(member, "acme"), await read(member, "other")], [account.id, 404]);
  const changed = await manage(it, "PATCH", "/accounts/acme", { headers: operator, body: { country: "DE" } });
  assert.equal(changed.statusCode, 200);
  assert.equal((await auditOf(it)).at(-1)?.account, account.id);
});

test("no body counts as an empty object, and null does not", async () => {
  const headers = { ...bearer(await tokenFor(it)), "content-type": "application/json" };
  const url = `/api/manage/v1/accounts/${account.id}/api-key`;
  const rotate = (payload?: string) =>
    inject(it.system.app, { method: "POST", url, headers, ...(payload !== undefined && { payload }) });
  const before = (await auditOf(it)).length;
  for (const payload of ["null", " "]) {
    const reply = await rotate(payload);
    assert.deepEqual([reply.statusCode, reply.json().code], [400, "malformed_body"], payload);
  }
  assert.equal((await rotate("{}")).statusCode, 200);
  assert.equal((await rotate()).statusCode, 200);
  const outcomes = (await auditOf(it)).slice(before).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes.filter((outcome) => outcome === "200").length, 2);
});

test("a Bearer header decides: a good cookie does not help a wrong token", async () => {
  const { cookie } = await signedIn(it, "op@acme.test");
  const good = await manage(it, "GET", "/users", { headers: { cookie } });
  assert.equal(good.statusCode, 200);
  const wrong = await manage(it, "GET", "/users", { headers: { cookie, ...bearer("tlm_x") } });
  assert.equal(wrong.statusCode, 401);
  const basic = await manage(it, "GET", "/users", { headers: { cookie, authorization: "Basic eDp5" } });
  assert.equal(basic.statusCode, 200, "a proxy's own sign-in is not ours to judge");
});

test("scopes: members get 403 for the installation, and one 404 for any account but theirs", async () => {
  const member = bearer(await tokenFor(it, account.id));
  const operator = bearer(await tokenFor(it));
  const installation = await manage(it, "GET", "/users", { headers: member });
  assert.deepEqual([installation.statusCode, installation.json()], [403, forbidden]);
  assert.equal((await manage(it, "GET", "/session", { headers: member })).statusCode, 200);
  const own = await manage(it, "GET", `/accounts/${account.id}/audit`, { headers: member });
  assert.equal(own.statusCode, 200);
  const missing = `acc_${"0".repeat(26)}`;
  const replies = [];
  for (const id of [other.id, missing, "acc_x", "x", other.id.toUpperCase(), `gw_${account.id.slice(4)}`]) {
    replies.push(await manage(it, "GET", `/accounts/${id}/audit`, { headers: member }));
  }
  for (const reply of replies) {
    assert.deepEqual([reply.statusCode, reply.json()], [404, notFound]);
    const { "x-request-id": _id, date: _date, ...headers } = reply.headers;
    const { "x-request-id": _first, date: _then, ...same } = replies[0]!.headers;
    assert.deepEqual(headers, same);
  }
  assert.equal(
    (await manage(it, "GET", `/accounts/${other.id}/audit`, { headers: operator })).statusCode,
    200,
  );
  assert.equal(
    (await manage(it, "GET", `/accounts/${missing}/audit`, { headers: operator })).statusCode,
    404,
  );
});

test("a foreign account costs the same questions as a missing one", async () => {
  const member = bearer(await tokenFor(it, account.id));
  // Its first use is noted, and its next ones within a minute are not.
  await manage(it, "GET", "/session", { headers: member });
  await it.settle();
  const asked: string[] = [];
  const { run } = it.system.database;
  it.system.database.run = (operation, input) => {
    asked.push(operation.name);
    return run(operation, input);
  };
  const questions = [];
  for (const id of [other.id, `acc_${"0".repeat(26)}`]) {
    asked.length = 0;
    await manage(it, "GET", `/accounts/${id}/audit`, { headers: member });
    questions.push([...asked]);
  }
  it.system.database.run = run;
  assert.ok(questions[0]!.includes("findAccount"));
  assert.deepEqual(questions[0], questions[1]);
});

test("a session's change needs the token and our own page; a token's needs neither", async () => {
  const { cookie, csrfToken } = await signedIn(it, "op@acme.test");
  const right = { cookie, "x-csrf-token": csrfToken };
  const other = (await signedIn(it, "member@acme.test")).csrfToken;
  const change = (headers: Record<string, string>) =>
    manage(it, "POST", "/tokens", { headers, body: { name: "", role: "operator" } });
  const passing: Record<string, string>[] = [
    { ...right, "sec-fetch-site": "same-origin" },
    { ...right, "sec-fetch-site": "none" },
    { ...right, origin: "https://trunkline.test" },
    { ...right, origin: "https://elsewhere.test", "sec-fetch-site": "same-origin" },
    bearer(await tokenFor(it)),
    { ...bearer(await tokenFor(it)), origin: "https://elsewhere.test", "sec-fetch-site": "cross-site" },
  ];
  for (const headers of passing)
    assert.equal((await change(headers)).statusCode, 422, JSON.stringify(headers));
  for (const headers of [{ cookie }, { cookie, "sec-fetch-site": "same-origin" }]) {
    const reply = await change(headers);
    assert.deepEqual([reply.statusCode, reply.json().code], [403, "forbidden"]);
    assert.match(reply.json().message, /csrf_token in X-CSRF-Token/);
  }
  const refused: Record<string, string>[] = [
    right,
    { cookie, "sec-fetch-site": "cross-site" },
    { cookie, "sec-fetch-site": "same-origin", "x-csrf-token": "" },
    { cookie, "sec-fetch-site": "same-origin", "x-csrf-token": other },
    { cookie, "sec-fetch-site": "same-origin", "x-csrf-token": `${csrfToken}x` },
    { cookie, "sec-fetch-site": "same-origin", "x-csrf-token": cookie.split("=")[1]! },
    { ...right, "sec-fetch-site": "same-site" },
    { ...right, "sec-fetch-site": "cross-site" },
    { ...right, "sec-fetch-site": "cross-site", origin: "https://trunkline.test" },
    { ...right, origin: "http://trunkline.test" },
    { ...right, origin: "https://trunkline.test.elsewhere.test" },
    { ...right, origin: "https://sub.trunkline.test" },
    { ...right, origin: "https://trunkline.test:8443" },
    { ...right, origin: "null" },
  ];
  for (const headers of refused) {
    const reply = await change(headers);
    assert.deepEqual([reply.statusCode, reply.json()], [403, forbidden], JSON.stringify(headers));
  }
});

test("bodies are JSON alone, and small; what a form of another site could send is refused", async () => {
  const headers = bearer(await tokenFor(it));
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json",
    "",
  ]) {
    const reply = await manage(it, "POST", "/tokens", {
      headers: { ...headers, "content-type": type },
      body: '{"name":"x","role":"operator"}',
    });
    assert.equal(reply.statusCode, 415, type);
  }
  const gzip = { ...headers, "content-encoding": "gzip" };
  assert.equal((await manage(it, "POST", "/tokens", { headers: gzip, body: "{}" })).statusCode, 415);
  const big = JSON.stringify({ name: "x".repeat(1_100_000) });
  assert.equal((await manage(it, "POST", "/tokens", { headers, body: big })).statusCode, 413);
  const largeLogin = JSON.stringify({ email: "x".repeat(20_000) });
  assert.equal((await manage(it, "POST", "/session", { body: largeLogin })).statusCode, 413);
  assert.equal((await manage(it, "POST", "/tokens", { headers, body: "{" })).statusCode, 400);
  assert.equal((await manage(it, "POST", "/tokens", { headers, body: "[]" })).statusCode, 422);
  assert.equal((await manage(it, "POST", "/tokens", { headers })).statusCode, 422);
});

test("the credential is judged before the body", async () => {
  const reply = await manage(it, "POST", "/tokens", { headers: bearer("tlm_x"), body: "{" });
  assert.equal(reply.statusCode, 401);
});

test("sixty wrong credentials a minute and client, then 429; what was right before still is", async () => {
  const from = "192.0.2.66";
  const token = await tokenFor(it);
  const ask = (headers: Record<string, string>, client = from) =>
    manage(it, "GET", "/session", { headers, from: client });
  assert.equal((await ask(bearer(token))).statusCode, 200);
  for (let i = 0; i < 60; i++) assert.equal((await ask(bearer(`tlm_wrong${i}`))).statusCode, 401);
  const refused = await ask(bearer("tlm_wrong60"));
  assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [429, "1"]);
  assert.equal((await ask(bearer(await tokenFor(it)))).statusCode, 429, "not even looked up");
  assert.equal((await ask(bearer(token))).statusCode, 200);
  assert.equal((await ask({})).statusCode, 401, "who shows nothing guesses nothing");
  assert.equal((await ask(bearer("tlm_wrong"), "192.0.2.67")).statusCode, 401);
  await it.advance(1_000);
  assert.equal((await ask(bearer("tlm_wrong61"))).statusCode, 401);
});

test("every change is in the log: who, where, what, names of fields, how it ended; never a value", async () => {
  const headers = bearer(await tokenFor(it));
  const secret = "a value that no log may keep";
  const replies = [
    await manage(it, "POST", "/users", { headers, body: { email: "new@acme.test", password: secret } }),
    await manage(it, "POST", "/tokens", { headers, body: { name: "logged", role: "operator" } }),
    await manage(it, "PATCH", `/users/usr_${"0".repeat(26)}`, { headers, body: { [secret]: 1, name: "x" } }),
  ];
  const tokenId: string = replies[1]!.json().data.id;
  replies.push(await manage(it, "DELETE", `/tokens/${tokenId}`, { headers }));
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [422, 201, 422, 204],
  );
  const entries = (await auditOf(it)).slice(-4);
  assert.deepEqual(
    entries.map(({ action, target, fields, outcome }) => ({ action, target, fields, outcome })),
    [
      { action: "createUser", target: null, fields: ["email", "password"], outcome: "422" },
      { action: "createManagementToken", target: tokenId, fields: ["name", "role"], outcome: "201" },
      { action: "updateUser", target: `usr_${"0".repeat(26)}`, fields: ["name"], outcome: "422" },
      { action: "revokeManagementToken", target: tokenId, fields: [], outcome: "204" },
    ],
  );
  for (const { actor } of entries) assert.equal(actor.kind, "token");
  assert.equal(JSON.stringify(entries).includes(secret), false);
  assert.equal(it.log.text().includes(secret), false);
});

test("reads, and what the gate refuses, are not in the log", async () => {
  const before = (await auditOf(it)).length;
  const member = bearer(await tokenFor(it, account.id));
  await manage(it, "GET", "/session", { headers: member });
  await manage(it, "POST", "/tokens", { headers: member, body: { name: "x", role: "operator" } });
  await manage(it, "POST", "/tokens", { headers: bearer("tlm_x"), body: {} });
  await manage(it, "POST", "/tokens", { headers: bearer(await tokenFor(it)), body: "{" });
  assert.equal((await auditOf(it)).length, before);
});

test("storage that takes no writes: nothing is done without its entry; reading and sessions go on", async () => {
  const browser = await signedIn(it, "op@acme.test");
  await it.advance(120_000);
  it.storageFault("full");
  const change = await manage(it, "POST", "/tokens", {
    headers: browser.headers,
    body: { name: "unwritten", role: "operator" },
  });
  assert.deepEqual([change.statusCode, change.json().code], [503, "unavailable"]);
  assert.ok(Number(change.headers["retry-after"]) > 0);
  const read = await manage(it, "GET", "/session", { headers: { cookie: browser.cookie } });
  assert.equal(read.statusCode, 200, "though its use could not be noted");
  it.storageFault(null);
  const list = await manage(it, "GET", "/tokens?limit=200", { headers: { cookie: browser.cookie } });
  assert.equal(list.body.includes("unwritten"), false);
});

test("a handler that fails is 500 for the caller and `error` in the log", async () => {
  const headers = bearer(await tokenFor(it));
  const { run } = it.system.database;
  it.system.database.run = (operation, input) =>
    operation.name === "insertManagementToken" ? Promise.reject(new Error("a bug")) : run(operation, input);
  const reply = await manage(it, "POST", "/tokens", { headers, body: { name: "buggy", role: "operator" } });
  it.system.database.run = run;
  assert.equal(reply.statusCode, 500);
  assert.equal((await auditOf(it)).at(-1)?.outcome, "error");
});

test("without a public address the host that was asked for decides, and the cookie is a plain one", async () => {
  const plain = await harness({ started: false, settings: { publicUrl: null } });
  await userFor(plain, "op@acme.test");
  const body = { email: "op@acme.test", password: passwordOf("op@acme.test") };
  const from = (origin: string) =>
    manage(plain, "POST", "/session", { body, headers: { host: "127.0.0.1:8080", origin } });
  assert.equal((await from("http://elsewhere.test")).statusCode, 403);
  const browser = browserOf(await from("http://127.0.0.1:8080"));
  assert.match(browser.cookie, /^trunkline=/);
  const { cookie, csrfToken } = browser;
  const signOut = (origin: string) =>
    manage(plain, "DELETE", "/session", {
      headers: { cookie, "x-csrf-token": csrfToken, host: "127.0.0.1:8080", origin },
    });
  assert.equal((await signOut("http://127.0.0.1:9090")).statusCode, 403);
  assert.equal((await signOut("http://127.0.0.1:8080")).statusCode, 204);
  await plain.close();
});

test("set-up and signing in at another address than the public one name the public one", async () => {
  const headers = { host: "192.0.2.7:8080", origin: "http://192.0.2.7:8080" };
  const signIn = { email: "op@acme.test", password: passwordOf("op@acme.test") };
  const setUp = { code: "tls_none", email: "a@acme.test", name: "A", password: "a long enough password" };
  for (const [path, body] of [
    ["/session", signIn],
    ["/setup", setUp],
  ] as const) {
    const reply = await manage(it, "POST", path, { headers, body });
    assert.deepEqual([reply.statusCode, reply.json().code], [403, "forbidden"]);
    assert.match(
      reply.json().message,
      /managed at https:\/\/trunkline\.test, not at the address of this page/,
    );
    const otherOrigin = { ...headers, origin: "https://elsewhere.test" };
    const refused = await manage(it, "POST", path, { headers: otherOrigin, body });
    assert.deepEqual([refused.statusCode, refused.json()], [403, forbidden]);
  }
});

test("X-Forwarded-For counts from trusted proxies alone", async () => {
  const behind = await harness({ started: false, settings: { trustedProxies: ["192.0.2.1"] } });
  const guess = (from: string, forwarded: string) =>
    manage(behind, "GET", "/session", {
      from,
      headers: { ...bearer("tlm_wrong"), "x-forwarded-for": forwarded },
    });
  for (let i = 0; i < 60; i++) await guess("198.51.100.7", `203.0.113.${i}`);
  assert.equal(
    (await guess("198.51.100.7", "203.0.113.99")).statusCode,
    429,
    "a stranger's word is not believed",
  );
  for (let i = 0; i < 60; i++) await guess("192.0.2.1", "203.0.113.5");
  assert.equal((await guess("192.0.2.1", "203.0.113.5")).statusCode, 429);
  assert.equal((await guess("192.0.2.1", "203.0.113.6")).statusCode, 401);
  // Another port on each connection makes no other client.
  for (let i = 0; i < 60; i++) await guess("192.0.2.1", `203.0.113.7:${1_000 + i}`);
  assert.equal((await guess("192.0.2.1", "203.0.113.7:5000")).statusCode, 429);
  for (let i = 0; i < 60; i++) await guess("192.0.2.1", `unknown${i}`);
  assert.equal((await guess("192.0.2.1", "unknown")).statusCode, 429);
  await behind.close();
});

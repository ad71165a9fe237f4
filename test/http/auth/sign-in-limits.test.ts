// Guessing at passwords over HTTP: it is bounded everywhere, and no stranger's guesses shut out who knows the password
// and comes with a browser that is known, or is signed in already.

import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import test, { afterEach, beforeEach } from "node:test";
import { changeUser } from "#store/identity/users.ts";
import { type Harness, harness } from "../../harness.ts";
import type { Injected } from "../../inject.ts";
import { browserOf, manage, passwordOf, signedIn, userFor } from "../managing.ts";

const email = "target@acme.test";
const password = passwordOf(email);
const home = "203.0.113.7";

/** The right password's, made to be compared a hundred times a test: 8 KiB instead of 19 MiB. */
const salt = Buffer.from("salt for tests!!");
const tag = argon2Sync("argon2id", {
  message: Buffer.from(password),
  nonce: salt,
  parallelism: 1,
  tagLength: 32,
  memory: 8,
  passes: 1,
});
const unpadded = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
const cheapHash = `$argon2id$v=19$m=8,t=1,p=1$${unpadded(salt)}$${unpadded(tag)}`;

let it: Harness;
let id: string;
beforeEach(async () => {
  it = await harness({ started: false });
  id = await userFor(it, email);
  await it.system.database.run(changeUser, {
    id,
    revision: 1,
    change: { password: cheapHash },
    at: it.clock.now(),
  });
});
afterEach(() => it?.close());

function attempt(attempted: string, from: string, headers: Record<string, string> = {}, address = email) {
  return manage(it, "POST", "/session", { body: { email: address, password: attempted }, headers, from });
}
const statusOf = async (reply: Promise<Injected>) => (await reply).statusCode;

/** The cookie that makes a browser known, as it is sent back. */
function deviceOf(reply: Injected): string {
  const [, device = ""] = [reply.headers["set-cookie"]].flat().map(String);
  assert.match(
    device,
    /^__Secure-trunkline-device=[\w.-]+; Path=\/api\/manage\/v1\/session; HttpOnly; SameSite=Strict; Secure; Max-Age=7776000$/,
  );
  return device.split(";", 1)[0]!;
}

/** Strangers from as many networks as it takes use up everything that an address has. */
async function besiege(): Promise<void> {
  for (let network = 1; network <= 10; network++) {
    for (let i = 0; i < 10; i++)
      assert.equal(await statusOf(attempt("a wrong password", `192.0.2.${network}`)), 401);
  }
}

test("ten other clients' wrong guesses from ten networks lock no user out", async () => {
  for (let network = 1; network <= 10; network++)
    assert.equal(await statusOf(attempt("a wrong password", `192.0.2.${network}`)), 401);
  assert.equal(await statusOf(attempt(password, home)), 200);
});

test("one client that tries eleven times a minute takes nothing from another network", async () => {
  for (let minute = 0; minute < 6; minute++) {
    for (let i = 0; i < 11; i++) await attempt("a wrong password", "192.0.2.1");
    assert.equal(await statusOf(attempt(password, home)), 200, `minute ${minute}`);
    await it.advance(60_000);
  }
});

test("a hundred wrong passwords a minute at an address, from wherever; a known browser of its user still gets in", async () => {
  const device = deviceOf(await attempt(password, home));
  await besiege();
  const refused = await attempt(password, home);
  assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [429, "1"]);
  const known = await attempt(password, home, { cookie: device });
  assert.equal(known.statusCode, 200);
  browserOf(known);
  assert.equal(
    await statusOf(attempt(password, "198.51.100.1", { cookie: device })),
    200,
    "from elsewhere too",
  );
});

test("right passwords use up nothing that others share", async () => {
  for (let i = 0; i < 120; i++) assert.equal(await statusOf(attempt(password, `198.51.100.${i}`)), 200);
});

test("a known browser has ten attempts a minute of its own, and no other browser uses them", async () => {
  const device = deviceOf(await attempt(password, home));
  for (let i = 0; i < 10; i++)
    assert.equal(await statusOf(attempt("a wrong password", home, { cookie: device })), 401);
  assert.equal(await statusOf(attempt(password, home, { cookie: device })), 429);
  assert.equal(await statusOf(attempt(password, home)), 200);
});

test("a known browser is one only for its user, its password and this installation, and for 90 days", async () => {
  await userFor(it, "other@acme.test");
  const ofOther = deviceOf(await attempt(passwordOf("other@acme.test"), home, {}, "other@acme.test"));
  const device = deviceOf(await attempt(password, home));
  const [name, value = ""] = device.split("=");
  const [time, mark, mac] = value.split(".");
  const made = (it.clock.now() + 1_000).toString(36);
  const worthless = [
    ofOther,
    `${name}=${made}.${mark}.${mac}`,
    `${name}=${time}.${"A".repeat(22)}.${mac}`,
    `${name}=${time}.${mark}.${"A".repeat(43)}`,
    `${name}=${value}.${mac}`,
    `${name}=`,
    `${device}; ${ofOther}`,
    device.replace("__Secure-", ""),
  ];
  await besiege();
  for (const cookie of worthless)
    assert.equal(await statusOf(attempt(password, home, { cookie })), 429, cookie);
  assert.equal(await statusOf(attempt(password, home, { cookie: device })), 200);
  await it.advance(90 * 86_400_000);
  await besiege();
  assert.equal(await statusOf(attempt(password, home, { cookie: device })), 429);
});

test("a changed password makes every other browser unknown", async () => {
  const device = deviceOf(await attempt(password, home));
  const { headers } = await signedIn(it, email, "198.51.100.2");
  const next = "a new long password";
  const changed = await manage(it, "POST", "/session/password", {
    headers,
    body: { current_password: password, password: next },
  });
  assert.equal(changed.statusCode, 200, changed.body);
  await besiege();
  assert.equal(await statusOf(attempt(next, home, { cookie: device })), 429);
  assert.equal(await statusOf(attempt(next, home, { cookie: deviceOf(changed) })), 200);
});

test("an operator's new password for a user makes their browsers unknown as well", async () => {
  const device = deviceOf(await attempt(password, home));
  await userFor(it, "op@acme.test");
  const { headers } = await signedIn(it, "op@acme.test", "198.51.100.3");
  const next = "a new long password";
  const reply = await manage(it, "PATCH", `/users/${id}`, { headers, body: { password: next } });
  assert.equal(reply.statusCode, 200, reply.body);
  await besiege();
  assert.equal(await statusOf(attempt(next, home, { cookie: device })), 429);
});

test("thirty attempts a minute of a network at all addresses; an IPv6 /48 is one", async () => {
  const spray = (from: (i: number) => string) =>
    Promise.resolve().then(async () => {
      for (let i = 0; i < 30; i++)
        assert.equal(await statusOf(attempt("a wrong password", from(i), {}, `guess${i}@acme.test`)), 401);
    });
  await spray(() => "192.0.2.1");
  assert.equal(await statusOf(attempt(password, "192.0.2.1")), 429);
  await spray((i) => `2001:db8:1:${i}::1`);
  assert.equal(await statusOf(attempt(password, "2001:db8:1:ffff::1")), 429);
  assert.equal(await statusOf(attempt(password, "2001:db8:2::1")), 200);
});

test("who is signed in changes the password while strangers guess, also from the same network", async () => {
  const { headers } = await signedIn(it, email, home);
  await besiege();
  for (let i = 0; i < 40; i++) await attempt("a wrong password", home, {}, `guess${i}@acme.test`);
  const body = { current_password: password, password: "a new long password" };
  const changed = await manage(it, "POST", "/session/password", { headers, body, from: home });
  assert.equal(changed.statusCode, 200, changed.body);
});

test("who is signed in sees the API key while strangers guess; in one session a password is tried ten times", async () => {
  const account = await it.account();
  const browsers = [await signedIn(it, email, home), await signedIn(it, email, home)];
  await besiege();
  const path = `/accounts/${account.id}/api-key/reveal`;
  const [thief, owner] = browsers;
  for (let i = 0; i < 10; i++) {
    const guess = await manage(it, "POST", path, {
      headers: thief!.headers,
      body: { password: `guess ${i}` },
    });
    assert.equal(guess.statusCode, 422);
  }
  const more = await manage(it, "POST", path, { headers: thief!.headers, body: { password } });
  assert.equal(more.statusCode, 429);
  const seen = await manage(it, "POST", path, { headers: owner!.headers, body: { password } });
  assert.equal(seen.statusCode, 200, "the thief's attempts are not the owner's");
});

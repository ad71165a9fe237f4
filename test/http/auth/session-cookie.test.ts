// The session cookie: its attributes to the letter, and which of several counts.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { isHttps, readCookie, sessionCookie } from "#http/auth/session-cookie.ts";

const from = (cookie: string | undefined) => ({ headers: { cookie } }) as unknown as IncomingMessage;

test("over https the cookie is bound to the host; over http it cannot be", () => {
  assert.equal(
    sessionCookie("secret", true),
    "__Host-trunkline=secret; Path=/; HttpOnly; SameSite=Lax; Secure",
  );
  assert.equal(sessionCookie("secret", false), "trunkline=secret; Path=/; HttpOnly; SameSite=Lax");
  assert.equal(
    sessionCookie(null, true),
    "__Host-trunkline=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0",
  );
  assert.equal(isHttps("https://x.test"), true);
  assert.equal(isHttps("http://x.test"), false);
  assert.equal(isHttps(null), false);
});

test("a cookie is found among others, and only under its whole name", () => {
  assert.equal(readCookie(from("a=1; __Host-trunkline=secret;b=2"), true), "secret");
  assert.equal(readCookie(from("trunkline=secret"), false), "secret");
  assert.equal(readCookie(from("trunkline=a=b"), false), "a=b");
  for (const cookie of [
    undefined,
    "",
    "trunkline=",
    "trunkline",
    "xtrunkline=secret",
    "trunkline2=secret",
    "Trunkline=secret",
    "__Host-trunkline=secret",
  ]) {
    assert.equal(readCookie(from(cookie), false), null, String(cookie));
  }
  assert.equal(readCookie(from("trunkline=secret"), true), null, "over https only the bound one counts");
});

test("of several different ones none counts; the same one twice does", () => {
  assert.equal(readCookie(from("trunkline=a; trunkline=b"), false), null);
  assert.equal(readCookie(from("trunkline=a; trunkline=a"), false), "a");
});

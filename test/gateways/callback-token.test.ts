// The token counts wherever the vendor can put it, and nothing else does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { callbackTokenField, hasValidToken } from "#gateways/callback-token.ts";

const token = "correct:horse-battery";
const carries = (query: [string, string][], authorization?: string) =>
  hasValidToken(
    {
      method: "POST",
      url: "",
      query: new URLSearchParams(query),
      headers: authorization === undefined ? {} : { authorization },
      body: Buffer.alloc(0),
    },
    token,
  );
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;

test("in the query, as the password of any user, as a Bearer token", () => {
  assert.ok(carries([["token", token]]));
  assert.ok(carries([], basic(`vendor:${token}`)));
  assert.ok(carries([], basic(`:${token}`)));
  assert.ok(carries([], basic(`vendor:${token}`).replace("Basic", "basic")));
  assert.ok(carries([], `Bearer ${token}`));
  assert.ok(carries([["token", "wrong"]], `Bearer ${token}`), "one right place is enough");
});

test("not when it is missing, wrong, cut, twice, or somewhere else", () => {
  assert.equal(carries([]), false);
  for (const wrong of ["", token.slice(0, -1), `${token}x`, token.toUpperCase(), ` ${token}`]) {
    assert.equal(carries([["token", wrong]]), false, wrong);
    assert.equal(carries([], `Bearer ${wrong}x`), false, wrong);
    assert.equal(carries([], basic(`vendor:${wrong}`)), false, wrong);
  }
  const twice: [string, string][] = [
    ["token", token],
    ["token", token],
  ];
  assert.equal(carries(twice), false);
  assert.equal(carries([["Token", token]]), false);
  for (const header of [
    token,
    basic(token),
    `Digest ${token}`,
    "Basic",
    "Basic %%%",
    basic(`${token}:x`),
    "",
  ]) {
    assert.equal(carries([], header), false, header);
  }
});

test("a token that can be guessed is refused on saving", () => {
  assert.equal(callbackTokenField.safeParse("short").success, false);
  assert.equal(callbackTokenField.safeParse("x".repeat(16)).success, true);
  assert.equal(callbackTokenField.safeParse(undefined).success, true);
});

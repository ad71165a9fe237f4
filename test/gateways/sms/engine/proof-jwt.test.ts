// JSON Web Tokens of callbacks, against tokens made by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type JwtRules, jwt } from "#gateways/sms/engine/proof-jwt.ts";
import { callbackUrl, now, toolsWith } from "../../conformance-samples.ts";
import { jwtOf, sha256 } from "../vendors/signers.ts";

type Settings = { secret?: string };
const seconds = now / 1000;
const secret = "a-secret-0123456789";

async function prove(
  token: string,
  rules: Partial<JwtRules<Settings>> = {},
  body = "{}",
  settings: Settings = { secret },
) {
  const proof = jwt<Settings>({
    secret: (own) => own.secret,
    named: "signing key",
    header: "authorization",
    claimsAreEvent: true,
    ...rules,
  });
  const headers: Record<string, string> = token === "" ? {} : { authorization: token };
  const call = {
    method: "POST",
    url: callbackUrl,
    query: new URLSearchParams(),
    headers,
    body: Buffer.from(body),
  };
  return await proof(call, settings, toolsWith());
}

test("a token of the secret proves, with a scheme before it or without", async () => {
  const token = jwtOf({ iat: seconds }, secret);
  assert.equal((await prove(token)).kind, "proved");
  assert.equal((await prove(`Bearer ${token}`)).kind, "proved");
  assert.equal((await prove(jwtOf({ iat: seconds }, "another"))).kind, "forbidden");
  assert.equal((await prove(`${token}.x`)).kind, "forbidden");
  assert.equal((await prove(token, {}, "{}", {})).kind, "not_configured");
});

test("no algorithm but those of the vendor, and never none", async () => {
  const claims = { iat: seconds };
  assert.equal((await prove(jwtOf(claims, secret, "HS512"))).kind, "forbidden");
  assert.equal(
    (await prove(jwtOf(claims, secret, "HS512"), { algorithms: ["HS256", "HS512"] })).kind,
    "proved",
  );
  const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from("{}").toString("base64url")}.`;
  assert.equal((await prove(none)).kind, "forbidden");
});

test("the digests of body and URL, where the vendor sends them", async () => {
  const token = jwtOf({ iat: seconds, p: sha256("{}"), u: sha256(callbackUrl) }, secret);
  const rules = { payloadHash: "p", urlHash: "u" };
  assert.equal((await prove(token, rules)).kind, "proved");
  assert.equal((await prove(token, rules, "{ }")).kind, "forbidden");
  assert.equal((await prove(jwtOf({ p: sha256("{}"), u: sha256("x") }, secret), rules)).kind, "forbidden");
  assert.equal(
    (await prove(jwtOf({ u: sha256(callbackUrl) }, secret), rules)).kind,
    "forbidden",
    "no digest of a body",
  );
  assert.equal(
    (await prove(jwtOf({ u: sha256(callbackUrl) }, secret), rules, "")).kind,
    "proved",
    "and no body",
  );
});

test("what a token covers: the body, the whole call, or the event in it", async () => {
  const claims = { p: sha256("{}"), u: sha256(callbackUrl) };
  const token = jwtOf(claims, secret);
  const body = { claimsAreEvent: false, payloadHash: "p" };
  assert.deepEqual(await prove(token, body), { kind: "proved", covers: "body" });
  assert.deepEqual(await prove(token, { ...body, urlHash: "u" }), { kind: "proved", covers: "call" });
  assert.deepEqual(await prove(token), { kind: "proved", document: claims });
  await assert.rejects(prove(token, { claimsAreEvent: false }), /digest of the body/);
});

test("time and issuer, with five minutes for clocks that differ", async () => {
  const kindOf = async (claims: object, rules: Partial<JwtRules<Settings>> = {}) =>
    (await prove(jwtOf(claims, secret), rules)).kind;
  assert.equal(await kindOf({ exp: seconds - 299 }), "proved");
  assert.equal(await kindOf({ exp: seconds - 301 }), "forbidden");
  assert.equal(await kindOf({ nbf: seconds + 301 }), "forbidden");
  assert.equal(await kindOf({ iat: seconds - 61 }, { maxAgeSeconds: 60 }), "forbidden");
  assert.equal(await kindOf({}, { maxAgeSeconds: 60 }), "forbidden");
  assert.equal(await kindOf({ iss: "other" }, { issuer: "vendor" }), "forbidden");
});

test("a call without a token is what the vendor repeats", async () => {
  assert.equal((await prove("")).kind, "forbidden");
  assert.equal((await prove("", { unsigned: "unavailable" })).kind, "unavailable");
});

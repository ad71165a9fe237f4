// Answers of token endpoints: tokens with their lives, and what each error means for the member.

import assert from "node:assert/strict";
import test from "node:test";
import { tokenFailure, tokenIn } from "#providers/access-token.ts";
import { checkedFailure } from "./openai-shapes.ts";

const now = Date.UTC(2026, 10, 20, 12);
const proof = { email: "a@b.test", privateKey: "canary-in-the-key", keyId: null, audience: "https://t.test" };
const grant = { url: "https://t.test", issuer: "Google", scope: "s", proof };

test("a token lives as long as the answer says, within a day; else an hour", () => {
  const cases: [unknown, number][] = [
    [3599, 3_599_000],
    ["3599", 3_599_000],
    [undefined, 3_600_000],
    [0, 3_600_000],
    [-1, 3_600_000],
    ["soon", 3_600_000],
    [1e12, 86_400_000],
  ];
  for (const [expires_in, lifetimeMs] of cases)
    assert.deepEqual(tokenIn(JSON.stringify({ access_token: "ya29.a-b_c", expires_in })), {
      token: "ya29.a-b_c",
      lifetimeMs,
    });
});

test("what no header can carry is no token", () => {
  for (const token of [undefined, null, "", 7, "a b", "a\r\nx: y", "é", "x".repeat(16_385)])
    assert.equal(tokenIn(JSON.stringify({ access_token: token })), null);
  for (const text of ["", "[]", "null", "<html>", '"ya29.x"']) assert.equal(tokenIn(text), null);
});

function failureOf(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return checkedFailure(tokenFailure(grant, { status, headers, text }, now));
}

test("a refused proof is a refused key, whose words only the pool's owner reads", () => {
  const failure = failureOf(400, { error: "invalid_grant", error_description: "Invalid JWT Signature." });
  assert.deepEqual([failure.kind, failure.status], ["unauthorized", 401]);
  assert.equal(
    failure.detail,
    "Google granted no access token: it answered 400: invalid_grant: Invalid JWT Signature.",
  );
  assert.doesNotMatch(failure.error.message, /JWT|Google|token/);
  for (const [status, error] of [
    [401, "invalid_client"],
    [403, "access_denied"],
    [404, undefined],
  ] as const)
    assert.equal(failureOf(status, { error }).kind, "unauthorized");
});

test("what passes is the member's failure, and a limit is one", () => {
  const passing: [number, unknown][] = [
    [500, {}],
    [503, "<html>"],
    [302, ""],
    [408, {}],
    [400, { error: "temporarily_unavailable" }],
    [200, {}],
  ];
  for (const [status, body] of passing) {
    const { kind, error } = failureOf(status, body);
    assert.deepEqual([kind, error.code], ["upstream_error", "upstream_unreachable"]);
  }
  const limited = failureOf(429, {}, { "retry-after": "17" });
  assert.deepEqual([limited.kind, limited.retryAfterMs], ["rate_limited", 17_000]);
});

test("no failure has a secret, also where the endpoint repeats it", () => {
  for (const status of [400, 429, 500]) {
    const error_description = "canary-in-the-key\r\nassertion=eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.c2ln";
    const text = JSON.stringify(failureOf(status, { error: "canary-in-the-key", error_description }));
    assert.doesNotMatch(text, /canary|eyJ/);
  }
});

test("Entra ID's refusal of a secret is a refused key, without the secret", () => {
  const proof = { clientId: "id-1", clientSecret: "canary~x.Y" };
  const entra = { url: "https://t.test", issuer: "Entra ID", scope: "s", proof };
  const error_description =
    "AADSTS7000215: Invalid client secret provided: canary~x.Y.\r\nTrace ID: 255d1aef-8c98-452f-ac51-23d051240864";
  const text = JSON.stringify({ error: "invalid_client", error_description, error_codes: [7_000_215] });
  const failure = checkedFailure(tokenFailure(entra, { status: 401, headers: {}, text }, now));
  assert.equal(failure.kind, "unauthorized");
  assert.match(
    failure.detail ?? "",
    /^Entra ID granted no access token: it answered 401: invalid_client: AADSTS7000215/,
  );
  assert.doesNotMatch(JSON.stringify(failure), /canary/);
});

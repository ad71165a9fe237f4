// HMACs of callbacks, against the vectors of RFC 4231.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hmac, isRecent } from "#gateways/sms/engine/proof-hmac.ts";
import { callbackUrl, now, toolsWith } from "../../conformance-samples.ts";

const call = (headers: Record<string, string>) => ({
  method: "POST",
  url: callbackUrl,
  query: new URLSearchParams(),
  headers,
  body: Buffer.from("what do ya want for nothing?"),
});
// RFC 4231, test case 2.
const sha256 = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
const proof = hmac<{ secret?: string }>({
  secret: ({ secret }) => secret,
  named: "signing secret",
  hash: "sha256",
  encoding: "hex",
  header: "x-signature",
  covers: "body",
  of: ({ body }) => [body],
});
const kindOf = async (headers: Record<string, string>, settings: { secret?: string } = { secret: "Jefe" }) =>
  (await proof(call(headers), settings, toolsWith())).kind;

test("an HMAC that fits proves the call, its hex in any case", async () => {
  assert.equal(await kindOf({ "x-signature": sha256 }), "proved");
  assert.equal(await kindOf({ "x-signature": sha256.toUpperCase() }), "proved");
  for (const wrong of ["", sha256.slice(2), sha256.replace("5", "6")])
    assert.equal(await kindOf({ "x-signature": wrong }), "forbidden", wrong);
  assert.equal(await kindOf({}), "forbidden");
});

test("without a secret nothing is proved, not even by an HMAC under an empty one", async () => {
  assert.equal(await kindOf({ "x-signature": sha256 }, {}), "not_configured");
  assert.equal(await kindOf({ "x-signature": sha256 }, { secret: "" }), "not_configured");
});

test("a time is recent within five minutes on both sides", () => {
  const seconds = now / 1000;
  for (const [time, recent] of [
    [String(seconds), true],
    [String(seconds - 300), true],
    [String(seconds + 300), true],
    [String(seconds - 301), false],
    [String(seconds + 301), false],
    [`${seconds}.5`, false],
    ["", false],
    [undefined, false],
  ] as const)
    assert.equal(isRecent(time, now), recent, String(time));
});

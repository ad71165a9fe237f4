// New keys are of the size that verifiers want, and never the same.

import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { test } from "node:test";
import { newPrivateKey } from "#runtime/key-pair.ts";

test("RSA has 2048 bits, and each key is another one", async () => {
  const [one, other] = await Promise.all([newPrivateKey("rsa"), newPrivateKey("rsa")]);
  const key = createPrivateKey(one);
  assert.deepEqual([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength], ["rsa", 2048]);
  assert.notEqual(one, other);
});

test("Ed25519", async () => {
  const pem = await newPrivateKey("ed25519");
  assert.match(pem, /^-----BEGIN PRIVATE KEY-----\n/);
  assert.equal(createPrivateKey(pem).asymmetricKeyType, "ed25519");
});

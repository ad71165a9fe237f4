// Secrets of ours: long enough, and kept as a hash alone.

import assert from "node:assert/strict";
import test from "node:test";
import { systemRandom } from "#runtime/random.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";

test("a secret is 256 bits in 43 characters, and never the same", () => {
  const random = systemRandom();
  const made = new Set(Array.from({ length: 1_000 }, () => newSecret(random)));
  assert.equal(made.size, 1_000);
  for (const secret of made) assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
});

test("the hash is SHA-256 in hex", () => {
  assert.equal(hashSecret("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

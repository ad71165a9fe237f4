// API keys: unguessable, and kept as a hash alone.

import assert from "node:assert/strict";
import test from "node:test";
import { hashApiKey, newApiKey } from "#accounts/api-key.ts";
import { systemRandom } from "#runtime/random.ts";

test("a key is tl_ and 256 random bits", () => {
  const random = systemRandom();
  const keys = Array.from({ length: 1000 }, () => newApiKey(random));
  for (const key of keys) assert.match(key, /^tl_[A-Za-z0-9_-]{43}$/);
  assert.equal(new Set(keys).size, 1000);
  const fixed = newApiKey({ bytes: (count) => new Uint8Array(count).fill(255), fraction: () => 0 });
  assert.equal(Buffer.from(fixed.slice(3), "base64url").length, 32);
});

test("the hash is SHA-256 in hex", () => {
  assert.equal(hashApiKey("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

// Which keys people may choose.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import fc from "fast-check";
import { guessBits, keyText } from "#contract/key-text.ts";

const accepts = (text: string) => keyText().safeParse(text).success;

test("keys of other products and random ones are accepted from 20 characters on", () => {
  for (const key of [
    "sk-Zq1vT8mJx0RkW5bYh2LdNg", // LiteLLM: sk- and 22 of base64url
    "sk-or-v1-9f3b1c77e2a04d5c",
    "kX3vPq8RtY2mNb7LzC4w",
    "5c1f0b9e-7a34-4d28-9e61-0f3ab2c8d417",
  ])
    assert.ok(accepts(key), key);
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = createHash("sha256").update(String(seed)).digest("base64url");
      assert.ok(accepts(random.slice(0, 22)), random.slice(0, 22));
    }),
  );
});

test("short, repeated and running keys are refused", () => {
  for (const key of [
    "kX3vPq8RtY2mNb7LzC4", // 19
    "aaaaaaaaaaaaaaaaaaaa",
    "abcabcabcabcabcabcabc",
    "abcdefghijklmnopqrstuv",
    "01234567890123456789",
    "secretsecretsecretsecret",
  ])
    assert.ok(!accepts(key), `${key}: ${guessBits(key)} bits`);
});

test("a key of 32 characters and more is not judged, as before", () => {
  assert.ok(accepts("k".repeat(32)));
});

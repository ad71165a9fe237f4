// What is kept of a body: its beginning, as valid JSON, without secrets.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { keptBody } from "#messaging/hooks/kept-body.ts";

test("secrets are masked by the names of their fields, at any depth, and the rest stays", () => {
  const body = {
    user: { name: "ada", Password: "p1", apiKey: 2, "X-Auth-Token": "t" },
    headers: [{ authorization: "Bearer x" }],
    secret: { nested: "stays" },
  };
  assert.deepEqual(JSON.parse(keptBody(body)!), {
    user: { name: "ada", Password: "***", apiKey: "***", "X-Auth-Token": "***" },
    headers: [{ authorization: "***" }],
    secret: { nested: "stays" },
  });
});

test("texts, lists and objects are shortened, and what is too long nevertheless is not kept", () => {
  const long = { text: "x".repeat(5_000), list: Array(50).fill(1) };
  const kept = JSON.parse(keptBody(long)!);
  assert.deepEqual([kept.text.length, kept.list.length], [1_001, 20]);
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, "x".repeat(1_000)]));
  assert.equal(keptBody(wide), null);
  const __proto__ = JSON.parse('{"__proto__": {"a": 1}}');
  assert.equal(keptBody(__proto__), '{"__proto__":{"a":1}}');
});

test("what is kept is JSON of at most 64 KiB", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const kept = keptBody(value);
      if (kept === null) return;
      JSON.parse(kept);
      assert.ok(Buffer.byteLength(kept) <= 65_536);
    }),
  );
});

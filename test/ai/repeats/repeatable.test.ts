// The header by which a request passes the cache over.

import assert from "node:assert/strict";
import test from "node:test";
import { skipsCache } from "#ai/repeats/repeatable.ts";

test("`no-cache` and `no-store` pass the cache over, also among others; no other word does", () => {
  for (const [value, skips] of [
    [undefined, false],
    ["no-cache", true],
    ["No-Store", true],
    ["max-age=0, no-cache", true],
    ["no-cache,max-age=0", true],
    ["max-age=0", false],
    ["no-cached", false],
    ["x-no-cache", false],
  ] as const)
    assert.equal(skipsCache(value), skips, String(value));
});

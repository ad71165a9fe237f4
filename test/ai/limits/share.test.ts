// The shares of a limit that processes keep while they cannot ask each other.

import assert from "node:assert/strict";
import test from "node:test";
import { placeOf, sharesOf, withoutShare } from "#ai/limits/share.ts";

test("shares of processes add up to the limits", () => {
  for (const limit of [0, 1, 2, 7, 40, 1_000])
    for (const processes of [1, 2, 3, 5]) {
      const shares = Array.from({ length: processes }, (_, at) =>
        sharesOf(
          { requests_per_minute: limit, tokens_per_minute: null, concurrency: limit },
          { at, of: processes },
        ),
      );
      for (const field of ["requests_per_minute", "concurrency"] as const)
        assert.equal(
          shares.reduce((sum, share) => sum + share[field]!, 0),
          limit,
        );
      assert.equal(shares[0]?.tokens_per_minute, null);
    }
});

test("a process without a share of a limit knows of which", () => {
  const limits = { requests_per_minute: 3, tokens_per_minute: 100, concurrency: 1 };
  assert.equal(withoutShare(sharesOf(limits, { at: 0, of: 2 })), null);
  assert.equal(withoutShare(sharesOf(limits, { at: 1, of: 2 })), "concurrency");
  const requests = { ...limits, requests_per_minute: 1, concurrency: null };
  assert.equal(withoutShare(sharesOf(requests, { at: 1, of: 2 })), "requests");
  const tokens = { requests_per_minute: null, tokens_per_minute: 1, concurrency: null };
  assert.equal(withoutShare(sharesOf(tokens, { at: 1, of: 2 })), "tokens");
});

test("a process knows its place among those that are alive, also while none can send a heartbeat", () => {
  const seen = new Map([
    ["prc_b", 90_000],
    ["prc_a", 100_000],
    ["prc_dead", 50_000],
  ]);
  assert.deepEqual(placeOf("prc_a", seen, 45_000), { at: 0, of: 2 });
  assert.deepEqual(placeOf("prc_b", seen, 45_000), { at: 1, of: 2 });
  assert.deepEqual(placeOf("prc_c", seen, 45_000), { at: 2, of: 3 }, "one that has sent none yet");
  assert.deepEqual(placeOf("prc_c", new Map(), 45_000), { at: 0, of: 1 });
});

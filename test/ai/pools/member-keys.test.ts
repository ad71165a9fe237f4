// Several keys of a member: their turns, and their rests.

import assert from "node:assert/strict";
import test from "node:test";
import { MemberKeys } from "#ai/pools/member-keys.ts";

const limited = (retryAfterMs: number | null) => ({ kind: "rate_limited" as const, retryAfterMs });
const refused = { kind: "unauthorized" as const, retryAfterMs: null };
const three = () => new MemberKeys(["a", "b", "c"]);
const turns = (keys: MemberKeys, now: number, count = 3, model = "m") =>
  Array.from({ length: count }, () => keys.next(model, now).settings);

test("keys are used in turn, and one at its limit is passed over for that model alone", () => {
  const keys = three();
  assert.deepEqual(turns(keys, 0, 4), ["a", "b", "c", "a"]);
  const b = keys.next("m", 0);
  assert.deepEqual(keys.failed(b, "m", limited(10_000), 0), { restsUntil: null, isNews: false });
  assert.deepEqual(new Set(turns(keys, 1)), new Set(["a", "c"]));
  assert.deepEqual(new Set(turns(keys, 1, 3, "other")), new Set(["a", "b", "c"]));
  assert.deepEqual(new Set(turns(keys, 10_000)), new Set(["a", "b", "c"]));
});

test("a refused key is news once, and rests for every model until it is answered", () => {
  const keys = three();
  const a = keys.next("m", 0);
  assert.equal(keys.failed(a, "m", refused, 0).isNews, true);
  assert.equal(keys.failed(a, "m", refused, 70_000).isNews, false);
  assert.ok(!turns(keys, 70_001, 3, "other").includes("a"));
  assert.deepEqual(keys.list(70_001), [
    { position: 1, state: "unauthorized", until: 130_000 },
    { position: 2, state: "up", until: null },
    { position: 3, state: "up", until: null },
  ]);
  assert.equal(keys.settingsFor(70_001), "b");
  keys.answered(a, "m");
  assert.equal(keys.list(70_002)[0]?.state, "up");
  assert.equal(keys.settingsFor(70_002), "a");
});

test("when all rest, the first one that is back is used and says why", () => {
  const keys = three();
  const [a, b, c] = [keys.next("m", 0), keys.next("m", 0), keys.next("m", 0)];
  keys.failed(a, "m", refused, 0);
  keys.failed(b, "m", limited(30_000), 0);
  assert.deepEqual(keys.failed(c, "m", limited(40_000), 0), {
    restsUntil: { until: 30_000, why: "cooling_down" },
    isNews: false,
  });
  assert.deepEqual(turns(keys, 1), ["b", "b", "b"]);
  assert.equal(keys.list(1)[2]?.state, "cooling_down");
});

test("a key that is only at its limit decides when all rest, however early a refused one may be tried again", () => {
  const keys = new MemberKeys(["a", "b"]);
  const [a, b] = [keys.next("m", 0), keys.next("m", 0)];
  keys.failed(a, "m", limited(300_000), 0);
  assert.deepEqual(keys.failed(b, "m", refused, 0).restsUntil, { until: 300_000, why: "cooling_down" });
  // The limit is the model's: what is left for others is not told by it.
  assert.equal(keys.failed(b, "other", refused, 0).restsUntil, null);
});

test("a refused key that is limited too counts as refused", () => {
  const keys = new MemberKeys(["a", "b"]);
  const [a, b] = [keys.next("m", 0), keys.next("m", 0)];
  keys.failed(a, "m", refused, 0);
  keys.failed(a, "m", limited(300_000), 0);
  assert.deepEqual(keys.failed(b, "m", refused, 10_000).restsUntil, { until: 70_000, why: "unauthorized" });
});

test("keys without luck in a call come last", () => {
  const keys = three();
  const spent = new Set([1, 3]);
  assert.deepEqual(
    Array.from({ length: 3 }, () => keys.next("m", 0, spent).settings),
    ["b", "b", "b"],
  );
  assert.equal(keys.hasFresh("m", 0, spent), true);
  keys.failed(keys.next("m", 0, spent), "m", limited(10_000), 0);
  assert.equal(keys.hasFresh("m", 0, spent), false);
  assert.notEqual(keys.next("m", 0, new Set([1, 2, 3])).settings, "b");
});

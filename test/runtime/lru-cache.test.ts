// What was used last is kept, within the bound; what failed is not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LruCache } from "#runtime/lru-cache.ts";

test("of more than fits, the one used longest ago goes", () => {
  const recent = new LruCache<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  assert.equal(recent.get("a"), 1);
  recent.set("c", 3);
  assert.deepEqual(
    ["a", "b", "c"].map((key) => recent.get(key)),
    [1, undefined, 3],
  );
});

test("sizes are counted, also of what is replaced and forgotten", () => {
  const recent = new LruCache<string, number>(10);
  recent.set("a", 6, 6);
  recent.set("a", 4, 4);
  recent.set("b", 6, 6);
  assert.deepEqual([recent.get("a"), recent.get("b")], [4, 6]);
  recent.delete("a");
  recent.delete("a");
  recent.set("c", 4, 4);
  assert.deepEqual([recent.get("b"), recent.get("c")], [6, 4]);
  recent.set("d", 1, 1);
  assert.deepEqual([recent.get("b"), recent.get("c"), recent.get("d")], [undefined, 4, 1]);
});

test("one that is larger than all is not kept, and drives none out", () => {
  const recent = new LruCache<string, number>(10);
  recent.set("a", 10, 10);
  recent.set("b", 11, 11);
  assert.deepEqual([recent.get("a"), recent.get("b")], [10, undefined]);
});

test("what is asked for at the same time is made once; what failed is made again", async () => {
  const recent = new LruCache<string, Promise<number>>(10);
  let made = 0;
  const make = async () => {
    made += 1;
    if (made === 1) throw new Error("not now");
    return made;
  };
  const first = [recent.getOrCreate("a", make), recent.getOrCreate("a", make)];
  assert.equal(first[0], first[1]);
  await assert.rejects(first[0]!, /not now/);
  assert.equal(await recent.getOrCreate("a", make), 2);
  assert.equal(await recent.getOrCreate("a", make), 2);
});

test("a failure does not take what is in its place by then", async () => {
  const recent = new LruCache<string, Promise<number>>(10);
  const failing = Promise.withResolvers<number>();
  void recent.getOrCreate("a", () => failing.promise);
  recent.set("a", Promise.resolve(2));
  failing.reject(new Error("late"));
  await assert.rejects(failing.promise);
  assert.equal(await recent.get("a"), 2);
});

test("cleared, it has room for all again", () => {
  const recent = new LruCache<string, number>(10);
  recent.set("a", 10, 10);
  recent.clear();
  assert.equal(recent.get("a"), undefined);
  recent.set("b", 5, 5);
  recent.set("c", 5, 5);
  assert.equal(recent.get("b"), 5);
});

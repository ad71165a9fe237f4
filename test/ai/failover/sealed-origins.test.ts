// What is remembered of sealed reasoning: who made it, who refused it, and for how much there is room.

import assert from "node:assert/strict";
import test from "node:test";
import { SealedOrigins } from "#ai/failover/sealed-origins.ts";

test("what another one made is foreign; what has no known maker is not", () => {
  const origins = new SealedOrigins();
  origins.made(["of a"], "a");
  origins.made(["of b"], "b");
  const all = ["of a", "of b", "unknown"];
  assert.deepEqual([...origins.foreign(all, "a")], ["of b"]);
  assert.deepEqual([...origins.foreign(all, "c")], ["of a", "of b"]);
  assert.equal(origins.newestMaker(all), "b");
  assert.equal(origins.newestMaker(["of a", "unknown"]), "a");
  assert.equal(origins.newestMaker(["unknown"]), null);
});

test("what a member refused is foreign to it, also what it was thought to have made", () => {
  const origins = new SealedOrigins();
  origins.made(["mine"], "a");
  origins.refused(["mine", "unknown"], "a");
  assert.deepEqual([...origins.foreign(["mine", "unknown"], "a")], ["mine", "unknown"]);
  assert.deepEqual([...origins.foreign(["mine", "unknown"], "b")], []);
  assert.equal(origins.newestMaker(["mine"]), null);
  origins.made(["unknown"], "a");
  assert.deepEqual([...origins.foreign(["unknown"], "a")], []);
});

test("the memory is bounded, and what is still in use stays", () => {
  const origins = new SealedOrigins(3);
  origins.made(["1", "2", "3"], "a");
  origins.foreign(["1"], "b");
  origins.made(["4"], "a");
  assert.deepEqual([...origins.foreign(["1", "2", "3", "4"], "b")], ["1", "3", "4"]);
});

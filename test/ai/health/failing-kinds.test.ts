// A kind of request that a model fails at rests there alone, longer each time, until one is answered.

import assert from "node:assert/strict";
import test from "node:test";
import { FailingKinds, failingRules, plainKind } from "#ai/health/failing-kinds.ts";

test("two failures in a row rest the kind at its model, and an answer ends that", () => {
  const failing = new FailingKinds();
  failing.failed("big", "pictures", 0);
  assert.equal(failing.isResting("big", "pictures", 0), false);
  failing.failed("big", "pictures", 1);
  const { firstRestMs } = failingRules;
  assert.equal(failing.isResting("big", "pictures", firstRestMs), true);
  assert.equal(failing.isResting("big", "pictures", firstRestMs + 1), false);
  assert.equal(failing.isResting("big", plainKind, 2), false);
  assert.equal(failing.isResting("small", "pictures", 2), false);
  failing.answered("big", "pictures");
  assert.ok(failing.isEmpty);
  failing.failed("big", "pictures", 3);
  assert.equal(failing.isResting("big", "pictures", 3), false, "it begins anew");
});

test("the rest doubles with each failure, up to its limit", () => {
  const failing = new FailingKinds();
  let now = 0;
  const rests = [];
  for (let turn = 0; turn < 8; turn++) {
    failing.failed("m", "tools", now);
    let restMs = 0;
    while (failing.isResting("m", "tools", now + restMs)) restMs += 1_000;
    rests.push(restMs);
    now += restMs;
  }
  assert.deepEqual(rests, [0, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000]);
});

test("models whose plain requests fail are counted, and no more than 256 kinds are kept", () => {
  const failing = new FailingKinds();
  for (const model of ["a", "a", "b", "b", "c"]) failing.failed(model, plainKind, 0);
  failing.failed("d", "tools", 0);
  failing.failed("d", "tools", 0);
  assert.equal(failing.failingModels(0), 2);
  assert.equal(failing.failingModels(8_000 + 60_000), 0, "what failed long ago says nothing of now");
  for (let kind = 0; kind < 300; kind++) failing.failed("m", `kind ${kind}`, 0);
  assert.equal(failing.failingModels(0), 0, "the oldest went first");
});

// How long a model's limit is remembered.

import assert from "node:assert/strict";
import test from "node:test";
import { ModelLimits } from "#ai/health/model-limits.ts";
import { rememberedMs } from "#ai/health/refused-parameters.ts";

test("the newest limit holds for its model alone, until its time is over", () => {
  const limits = new ModelLimits();
  limits.learn("m", 9, 0);
  limits.learn("m", 5, 10);
  assert.deepEqual([limits.of("m", 10), limits.of("other", 10)], [5, null]);
  assert.deepEqual([limits.of("m", rememberedMs + 9), limits.of("m", rememberedMs + 10)], [5, null]);
});

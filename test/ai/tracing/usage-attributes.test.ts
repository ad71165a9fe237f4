// Tokens as attributes.

import assert from "node:assert/strict";
import test from "node:test";
import { usageAttributes } from "#ai/tracing/usage-attributes.ts";

test("input and output always, those of a cache where there are some", () => {
  const usage = { promptTokens: 9, completionTokens: 3, totalTokens: 12 };
  const plain = { "gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 3 };
  assert.deepEqual(usageAttributes(usage), plain);
  assert.deepEqual(usageAttributes({ ...usage, cachedTokens: 4, cacheWriteTokens: 5 }), {
    ...plain,
    "gen_ai.usage.cache_read.input_tokens": 4,
    "gen_ai.usage.cache_creation.input_tokens": 5,
  });
});

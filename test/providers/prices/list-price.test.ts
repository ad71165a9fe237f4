// Looking up list prices.

import assert from "node:assert/strict";
import test from "node:test";
import { listPrice } from "#providers/prices/list-price.ts";

test("a model is found by its name, and a snapshot by its model's", () => {
  const mini = { input: 0.25, output: 2, cached_input: 0.025, cache_write: undefined };
  assert.deepEqual(listPrice("openai", "gpt-5-mini"), mini);
  assert.deepEqual(listPrice("openai", "gpt-5-mini-2025-08-07"), mini);
  assert.equal(listPrice("openai", "gpt-4o-2024-05-13")?.input, 5, "a snapshot with a price of its own");
  assert.equal(listPrice("anthropic", "claude-sonnet-4-5-20250929")?.cache_write, 3.75);
  assert.equal(listPrice("anthropic", "claude-sonnet-4-5@20250929")?.cache_write, 3.75);
  assert.equal(listPrice("openai", "gpt-unheard-of"), null);
  assert.equal(listPrice("openai", "toString"), null);
  assert.equal(listPrice("gemini", "gpt-5-mini"), null);
});

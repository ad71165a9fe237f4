// Looking up list prices, and reading a file of them.

import assert from "node:assert/strict";
import test from "node:test";
import { builtInPrices, listedVendors, listPrice, readListPrices } from "#providers/prices/list-price.ts";

test("a model is found by its name, and a snapshot by its model's", () => {
  const mini = { input: 0.25, output: 2, cached_input: 0.025 };
  assert.deepEqual(listPrice("openai", "gpt-5-mini"), mini);
  assert.deepEqual(listPrice("openai", "gpt-5-mini-2025-08-07"), mini);
  assert.equal(listPrice("openai", "gpt-4o-2024-05-13")?.input, 5, "a snapshot with a price of its own");
  assert.equal(listPrice("anthropic", "claude-sonnet-4-5-20250929")?.cache_write, 3.75);
  assert.equal(listPrice("anthropic", "claude-sonnet-4-5@20250929")?.cache_write, 3.75);
  assert.equal(listPrice("anthropic", "claude-opus-5")?.cache_write_1h, 10);
  assert.equal(listPrice("openai", "gpt-unheard-of"), null);
  assert.equal(listPrice("openai", "toString"), null);
  assert.equal(listPrice("gemini", "gpt-5-mini"), null);
});

test("the main models of each vendor are listed", () => {
  for (const [vendor, model] of [
    ["openai", "gpt-5.6-sol"],
    ["openai", "gpt-6-luna"],
    ["anthropic", "claude-opus-5"],
    ["gemini", "gemini-3.6-flash"],
    ["z.ai", "glm-5.3"],
    ["moonshot", "kimi-k3"],
  ] as const)
    assert.ok(listPrice(vendor, model), model);
});

test("every vendor has prices, and caches are read for no more than input costs", () => {
  assert.deepEqual(Object.keys(builtInPrices.prices).sort(), [...listedVendors].sort());
  assert.deepEqual(readListPrices(JSON.stringify(builtInPrices)), builtInPrices);
  for (const models of Object.values(builtInPrices.prices))
    for (const [model, price] of Object.entries(models ?? {}))
      assert.ok((price.cached_input ?? 0) <= price.input, model);
});

test("a file of prices takes the place of the list, and what is wrong in one is named", () => {
  const file = { date: "2026-11-01", source: "mine", prices: { openai: { own: { input: 1, output: 2 } } } };
  const mine = readListPrices(JSON.stringify(file));
  assert.deepEqual(listPrice("openai", "own", mine), { input: 1, output: 2 });
  assert.equal(listPrice("openai", "gpt-5-mini", mine), null);
  assert.equal(listPrice("gemini", "gemini-2.5-pro", mine), null);
  for (const [text, problem] of [
    ["{", /is no JSON/],
    ["[]", /expected object/],
    [JSON.stringify({ ...file, date: "today" }), /date: must be a day/],
    [JSON.stringify({ ...file, prices: { acme: {} } }), /prices/],
    [
      JSON.stringify({ ...file, prices: { openai: { own: { input: -1, output: 2 } } } }),
      /prices\.openai\.own\.input/,
    ],
  ] as const)
    assert.throws(() => readListPrices(text), problem);
});

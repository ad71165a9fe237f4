// List prices as the package has them become rows of our own.

import assert from "node:assert/strict";
import test from "node:test";
import { readListPrices } from "#providers/prices/list-price.ts";
import { pricesText, rowsOf } from "../../scripts/price-rows.ts";

test("a row has the price of the day, of short and of long prompts, and of the hour that costs most, under every name", () => {
  const rows = rowsOf(
    [
      { id: "flat", match: { equals: "flat-1" }, prices: { input_mtok: 1, output_mtok: 2 } },
      {
        id: "tiers",
        match: { or: [{ equals: "t" }, { regex: "^t-" }] },
        prices: {
          input_mtok: { base: 4, tiers: [{ start: 200_000, price: 8 }] },
          cache_write_mtok: { base: 5 },
          cache_write_1h_mtok: 8,
          cache_read_mtok: { base: 0.4, tiers: [{ start: 200_000, price: 0.8 }] },
        },
      },
      {
        id: "cheaper",
        match: { starts_with: "cheaper" },
        prices: [
          { prices: { input_mtok: 5 } },
          { prices: { input_mtok: 4 }, constraint: { type: "start_date", start_date: "2026-08-21" } },
          { prices: { input_mtok: 3 }, constraint: { type: "start_date", start_date: "2027-01-01" } },
        ],
      },
      {
        id: "by-night",
        match: { equals: "by-night" },
        prices: [
          { prices: { input_mtok: 0.135 } },
          { prices: { input_mtok: 0.27 }, constraint: { type: "time_of_date" } },
        ],
      },
      { id: "sound", match: { equals: "sound" }, prices: { audio_hours: 1 } },
    ],
    "2026-09-23",
  );
  const tiers = { input: 4, output: 0, cached_input: 0.4, cache_write: 5, cache_write_1h: 8 };
  const long = { above: 200_000, ...tiers, input: 8, cached_input: 0.8 };
  assert.deepEqual(rows, {
    flat: { input: 1, output: 2 },
    "flat-1": { input: 1, output: 2 },
    tiers: { ...tiers, long_prompt: long },
    t: { ...tiers, long_prompt: long },
    cheaper: { input: 4, output: 0 },
    "by-night": { input: 0.27, output: 0 },
  });
  const file = { date: "2026-09-23", source: "s", prices: { openai: rows } };
  assert.deepEqual(readListPrices(pricesText(file)), file);
});

test("a model with prices of three lengths has no row, and is named", () => {
  const tiers = [
    { start: 100, price: 2 },
    { start: 200, price: 3 },
  ];
  const model = { id: "stairs", match: {}, prices: { input_mtok: { base: 1, tiers } } };
  assert.throws(() => rowsOf([model], "2026-09-23"), /^Error: stairs has prices of more than two lengths/);
});

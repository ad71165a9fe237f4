// List prices as the package has them become rows of our own.

import assert from "node:assert/strict";
import test from "node:test";
import { readListPrices } from "#providers/prices/list-price.ts";
import { pricesText, rowsOf } from "../../scripts/price-rows.ts";

test("a row has the price of the day, of short prompts, and of the hour that costs most, under every name", () => {
  const rows = rowsOf(
    [
      { id: "flat", match: { equals: "flat-1" }, prices: { input_mtok: 1, output_mtok: 2 } },
      {
        id: "tiers",
        match: { or: [{ equals: "t" }, { regex: "^t-" }] },
        prices: {
          input_mtok: { base: 4 },
          cache_write_mtok: { base: 5 },
          cache_write_1h_mtok: 8,
          cache_read_mtok: 0.4,
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
  assert.deepEqual(rows, {
    flat: { input: 1, output: 2 },
    "flat-1": { input: 1, output: 2 },
    tiers,
    t: tiers,
    cheaper: { input: 4, output: 0 },
    "by-night": { input: 0.27, output: 0 },
  });
  const file = { date: "2026-09-23", source: "s", prices: { openai: rows } };
  assert.deepEqual(readListPrices(pricesText(file)), file);
});

// What the dashboard says of calls without a known price: their cost, sums with them, and budgets that refuse them.

import assert from "node:assert/strict";
import test from "node:test";
import type { Pool } from "#ui/api/schema.ts";
import { unpricedWords } from "#ui/pools/unpriced.ts";
import { cost, costNote, costOf } from "#ui/words/numbers.ts";

test("a cost is known, unknown, or at least so much", () => {
  for (const [value, unpriced, words] of [
    [0, 0, "0"],
    [1.5, 0, "1.5"],
    [null, 0, "unknown"],
    [null, 2, "unknown"],
    [0, 2, "unknown"],
    [1.5, 2, "at least 1.5"],
  ] as const)
    assert.equal(cost(value, unpriced), words, `${value} ${unpriced}`);
  const priced = { cost: 1, unpriced: 0 };
  const none = { cost: null, unpriced: 1 };
  for (const [rows, words, note] of [
    [[], "0", "in units of your prices"],
    [[priced, priced], "2", "in units of your prices"],
    [[none], "unknown", "1 call without a known price"],
    [[none, priced, none], "at least 1", "2 calls without a known price"],
  ] as const)
    assert.deepEqual([costOf(rows), costNote(rows)], [words, note]);
});

test("a form with a budget of cost names the models that it refuses, or does not count", () => {
  const pool = (...models: string[][]) =>
    ({ members: models.map((unpriced_models) => ({ unpriced_models })) }) as unknown as Pool;
  const words = (budget: object | undefined, ...models: string[][]) =>
    unpricedWords(pool(...models), { budget });
  const bound = { cost_per_month: 5 };
  assert.equal(words(undefined, ["a"]), null);
  assert.equal(words({ tokens_per_day: 5 }, ["a"]), null);
  assert.equal(words(bound, []), null);
  const refused =
    "The price of a, b is unknown: the budget refuses these calls until the member has a price, unless it allows unpriced models.";
  assert.equal(words(bound, ["a"], ["b", "a"]), refused);
  assert.equal(words({ ...bound, unpriced: "refuse" }, ["a", "b"]), refused);
  assert.equal(
    words({ ...bound, unpriced: "allow" }, ["a"]),
    "The price of a is unknown, so the cost limit does not count these calls.",
  );
  assert.match(
    words(
      bound,
      Array.from({ length: 12 }, (_, i) => `m${i}`),
    ) ?? "",
    /m9 and 2 more is unknown:/,
  );
});

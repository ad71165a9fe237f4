// Which calls have an unknown cost.

import assert from "node:assert/strict";
import test from "node:test";
import { callNumber, isUnpriced } from "#store/pools/unpriced.ts";

test("a call has an unknown cost where a member answered and no price is known", () => {
  const call = { member: "main", reused: null, price_source: null, cost: 0, cost_rest: 0 } as const;
  for (const [words, more, expected] of [
    ["no price", {}, null],
    ["no member answered", { member: null }, 0],
    ["an earlier answer", { reused: "cache" }, 0],
    ["a price of nothing", { price_source: "set" }, 0],
    ["a price", { price_source: "list", cost: 1_500_000 }, 1.5],
    ["from before sources were recorded", { cost: 1_500_000 }, 1.5],
    ["below a millionth", { cost_rest: 1 }, 1e-12],
  ] as const) {
    const one = { ...call, ...more };
    assert.deepEqual([callNumber(one), isUnpriced(one)], [expected, expected === null], words);
  }
});

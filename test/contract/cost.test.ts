// Costs, exactly.

import assert from "node:assert/strict";
import test from "node:test";
import { costInMillionths, costNumber, costOfPicos, costText } from "#contract/cost.ts";

test("a cost is whole millionths and the rest, and is written as the decimal number that it is", () => {
  for (const [picos, cost, cost_rest, text] of [
    [0n, 0, 0, "0"],
    [1n, 0, 1, "0.000000000001"],
    [400_000n, 0, 400_000, "0.0000004"],
    [1_100_020_000n, 1_100, 20_000, "0.00110002"],
    [2_000_000_000_000n, 2_000_000, 0, "2"],
    [12_345_678_901_234_567_890n, 12_345_678_901_234, 567_890, "12345678.90123456789"],
  ] as const) {
    assert.deepEqual(costOfPicos(picos), { cost, cost_rest });
    assert.equal(costText({ cost, cost_rest }), text);
  }
});

test("sums of rests go beyond a millionth, and stay exact", () => {
  const sum = { cost: 0, cost_rest: 0 };
  for (let call = 0; call < 3_000; call++) sum.cost_rest += costOfPicos(400_001n).cost_rest;
  assert.equal(costText(sum), "0.001200003");
  assert.equal(costNumber(sum), 0.001200003);
  assert.equal(costInMillionths({ cost: 3, cost_rest: 500_000 }), 3.5);
});

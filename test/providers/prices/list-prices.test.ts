// The table of list prices has prices that members could have.

import assert from "node:assert/strict";
import test from "node:test";
import { memberRules } from "#contract/manage/pools/members.ts";
import { listPrice } from "#providers/prices/list-price.ts";
import { listPrices, listPricesDate } from "#providers/prices/list-prices.ts";

test("each price is one that a member takes, and caches are read for no more than input costs", () => {
  assert.match(listPricesDate, /^\d{4}-\d{2}-\d{2}$/);
  for (const [vendor, models] of Object.entries(listPrices))
    for (const model of Object.keys(models)) {
      const price = listPrice(vendor as keyof typeof listPrices, model);
      memberRules.parse({ prices: { [model]: price } });
      assert.ok((price?.cached_input ?? 0) <= (price?.input ?? 0), model);
    }
});

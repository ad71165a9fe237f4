// A database from before costs had a rest keeps its calls and sums, which are whole millionths.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutExactCosts } from "./undone.ts";

for (const engine of engines) {
  test(`costs of earlier schemas have no rest, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutExactCosts) await place.exec(statement);
      await place.exec("delete from migrations where id >= 13");
      await place.exec(
        "insert into spend_days (owner_id, day, tokens, cost) values ('o', '2026-11-01', 3, 7)",
      );
      await assert.rejects(place.exec("select cost_rest from spend_days"));
      await place.open();
      await place.exec("update spend_days set cost = cost / (case when cost_rest = 0 then 1 else 0 end)");
      await place.exec("select cost_rest, cached_tokens, cache_write_tokens, price_source from completions");
    } finally {
      await place.drop();
    }
  });
}

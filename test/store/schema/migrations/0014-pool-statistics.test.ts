// A database from before pools had statistics gets their tables.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutPoolStatistics } from "./undone.ts";

for (const engine of engines) {
  test(`the thirteenth schema gets the statistics of pools, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutPoolStatistics) await place.exec(statement);
      await place.exec("delete from migrations where id >= 14");
      await assert.rejects(place.exec("select hour from usage_parts"));
      await place.open();
      for (const table of ["usage_parts", "refused_calls"]) await place.exec(`select hour from ${table}`);
    } finally {
      await place.drop();
    }
  });
}

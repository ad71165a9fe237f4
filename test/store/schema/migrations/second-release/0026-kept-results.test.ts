// A database from before gets the index of kept results.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutKeptResults } from "../undone.ts";

for (const engine of engines) {
  test(`kept results get an index, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutKeptResults) await place.exec(statement);
      await place.exec("delete from migrations where id >= 26");
      for (const statement of withoutKeptResults) await assert.rejects(place.exec(statement));
      await place.open();
      for (const statement of withoutKeptResults) await place.exec(statement);
    } finally {
      await place.drop();
    }
  });
}

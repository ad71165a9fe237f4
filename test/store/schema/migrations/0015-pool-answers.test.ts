// A database from before answers were kept gets their table, and calls the column that says which were reused.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutPoolAnswers } from "./undone.ts";

for (const engine of engines) {
  test(`the fourteenth schema gets the answers of pools, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutPoolAnswers) await place.exec(statement);
      await place.exec("delete from migrations where id >= 15");
      await assert.rejects(place.exec("select name from pool_answers"));
      await place.open();
      await place.exec("select name, answer from pool_answers");
      await place.exec("select reused from completions");
    } finally {
      await place.drop();
    }
  });
}

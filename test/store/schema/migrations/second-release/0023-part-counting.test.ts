// A database from before gets the column of how the parts of a gateway's texts are counted.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutPartCounting } from "../undone.ts";

for (const engine of engines) {
  test(`the twenty-second schema gets how parts are counted, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const counted = "select counting from gateways";
    try {
      await place.open();
      for (const statement of withoutPartCounting) await place.exec(statement);
      await place.exec("delete from migrations where id >= 23");
      await assert.rejects(place.exec(counted));
      await place.open();
      await place.exec(counted);
    } finally {
      await place.drop();
    }
  });
}

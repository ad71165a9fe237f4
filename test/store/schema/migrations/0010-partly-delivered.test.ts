// A database from before parts were waited for gets the table for it.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutSetupLinks } from "./undone.ts";

for (const engine of engines) {
  test(`the ninth schema gets the waits for parts, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      await place.exec("drop table partly_delivered");
      for (const statement of withoutSetupLinks) await place.exec(statement);
      await place.exec("delete from migrations where id >= 10");
      await assert.rejects(place.exec("select until from partly_delivered"));
      await place.open();
      await place.exec("select until from partly_delivered");
    } finally {
      await place.drop();
    }
  });
}

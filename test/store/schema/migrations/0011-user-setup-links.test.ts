// A database from before users had set-up links gets the table for them.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutExactCosts } from "./undone.ts";

for (const engine of engines) {
  test(`the tenth schema gets the links of users, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      await place.exec("drop table user_setup_links");
      for (const statement of withoutExactCosts) await place.exec(statement);
      await place.exec("delete from migrations where id >= 11");
      await assert.rejects(place.exec("select hash from user_setup_links"));
      await place.open();
      await place.exec("select hash from user_setup_links");
    } finally {
      await place.drop();
    }
  });
}

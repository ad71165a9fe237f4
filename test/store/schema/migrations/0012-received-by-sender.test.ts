// A database from before gets the indexes by which one person's messages are found.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutExactCosts } from "./undone.ts";

for (const engine of engines) {
  test(`the eleventh schema gets indexes of received messages, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const both = "drop index inbound_sender; drop index inbound_gateway";
    try {
      await place.open();
      await place.exec(both);
      for (const statement of withoutExactCosts) await place.exec(statement);
      await place.exec("delete from migrations where id >= 12");
      await assert.rejects(place.exec(both));
      await place.open();
      await place.exec(both);
    } finally {
      await place.drop();
    }
  });
}

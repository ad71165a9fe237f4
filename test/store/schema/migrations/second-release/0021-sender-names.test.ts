// A database from before gets the table of the names that networks give to people.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutSenderNames } from "../undone.ts";

for (const engine of engines) {
  test(`the twentieth schema gets the names of senders, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const named =
      "insert into sender_names (gateway_id, sender, recipient, shown_at) values ('g', 's', 'r', 1)";
    try {
      await place.open();
      for (const statement of withoutSenderNames) await place.exec(statement);
      await place.exec("delete from migrations where id >= 21");
      await assert.rejects(place.exec(named));
      await place.open();
      await place.exec(named);
      await assert.rejects(place.exec(named), "one row for each name");
    } finally {
      await place.drop();
    }
  });
}

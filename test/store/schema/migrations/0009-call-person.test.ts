// A database from before people tried pools keeps its calls, which are those of keys.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutSetupLinks } from "./undone.ts";

for (const engine of engines) {
  test(`calls of the eighth schema get the column of their person, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      await place.exec("alter table completions drop column person");
      await place.exec("drop table partly_delivered");
      for (const statement of withoutSetupLinks) await place.exec(statement);
      await place.exec("delete from migrations where id >= 9");
      await assert.rejects(place.exec("select person from completions"));
      await place.open();
      await place.exec("select person from completions");
    } finally {
      await place.drop();
    }
  });
}

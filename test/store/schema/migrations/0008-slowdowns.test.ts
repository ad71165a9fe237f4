// A database from before phones were slowed down gets the table for it.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutSetupLinks } from "./undone.ts";

for (const engine of engines) {
  test(`the seventh schema gets the slower paces of phones, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      await place.exec("drop table partly_delivered; drop table phone_slowdowns");
      await place.exec("alter table completions drop column person");
      for (const statement of withoutSetupLinks) await place.exec(statement);
      await place.exec("delete from migrations where id >= 8");
      await assert.rejects(place.exec("select since from phone_slowdowns"));
      await place.open();
      await place.exec("select since from phone_slowdowns");
    } finally {
      await place.drop();
    }
  });
}

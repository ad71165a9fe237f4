// A database from before calls named their API keeps its calls, without one.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutSetupLinks } from "./undone.ts";

for (const engine of engines) {
  test(`calls of the fifth schema get the column of their API, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      await place.exec("alter table completions drop column api");
      await place.exec(
        "drop table partly_delivered; drop table phone_slowdowns; drop table deleted_gateways; drop index gateways_draining",
      );
      await place.exec("alter table gateways drop column draining_at");
      await place.exec("alter table completions drop column person");
      for (const statement of withoutSetupLinks) await place.exec(statement);
      await place.exec("delete from migrations where id >= 6");
      await assert.rejects(place.exec("select api from completions"));
      await place.open();
      await place.exec("select api from completions");
    } finally {
      await place.drop();
    }
  });
}

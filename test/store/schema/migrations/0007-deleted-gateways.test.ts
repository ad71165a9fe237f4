// A database from before gateways could drain keeps them, and none of them drains.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutSetupLinks } from "./undone.ts";

for (const engine of engines) {
  test(`gateways of the sixth schema stay, and can be deleted by draining, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      await place.exec(
        "drop table partly_delivered; drop table phone_slowdowns; drop table deleted_gateways; drop index gateways_draining",
      );
      await place.exec("alter table gateways drop column draining_at");
      await place.exec("alter table completions drop column person");
      for (const statement of withoutSetupLinks) await place.exec(statement);
      await place.exec("delete from migrations where id >= 7");
      await assert.rejects(place.exec("select draining_at from gateways"));
      await place.open();
      await place.exec("select draining_at from gateways; select identifier from deleted_gateways");
    } finally {
      await place.drop();
    }
  });
}

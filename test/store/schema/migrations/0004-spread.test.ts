// A database from before spreads gets their tables, and keeps its messages.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutSetupLinks } from "./undone.ts";

for (const engine of engines) {
  test(`a database of the third schema gets the choices of spreads, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      await place.exec("drop table spread_choices");
      await place.exec("alter table messages drop column spread_id");
      await place.exec("drop index phone_items_over");
      await place.exec("alter table completions drop column api");
      await place.exec(
        "drop table partly_delivered; drop table phone_slowdowns; drop table deleted_gateways; drop index gateways_draining",
      );
      await place.exec("alter table gateways drop column draining_at");
      await place.exec("alter table completions drop column person");
      for (const statement of withoutSetupLinks) await place.exec(statement);
      await place.exec("delete from migrations where id >= 4");
      await place.open();
      await place.exec(
        "insert into spread_choices (key, gateway_id, chosen_at) values ('gw_1 +1', 'gw_2', 1)",
      );
      await assert.rejects(
        place.exec("insert into spread_choices (key, gateway_id, chosen_at) values ('gw_1 +1', 'gw_3', 2)"),
      );
      await place.exec("delete from messages where spread_id is not null");
    } finally {
      await place.drop();
    }
  });
}

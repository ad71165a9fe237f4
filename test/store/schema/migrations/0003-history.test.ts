// A database of an earlier schema gets what is new at its next start, and keeps what it has.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutSetupLinks } from "./undone.ts";

for (const engine of engines) {
  test(`a database of the first schema gets the tables of the later ones, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutSetupLinks) await place.exec(statement);
      for (const table of ["message_counts", "gateway_pauses", "gateway_reports", "spread_choices"])
        await place.exec(`drop table ${table}`);
      await place.exec("alter table message_events drop column attempt");
      await place.exec("alter table messages drop column spread_id");
      await place.exec("drop index phone_items_over");
      await place.exec("alter table completions drop column api");
      await place.exec(
        "drop table partly_delivered; drop table phone_slowdowns; drop table deleted_gateways; drop index gateways_draining",
      );
      await place.exec("alter table gateways drop column draining_at");
      await place.exec("alter table completions drop column person");
      await place.exec("delete from migrations where id >= 2");
      await place.exec("insert into provisioned (kind, name, hash) values ('kept', 'kept', 'kept')");
      await place.open();
      // Both are there: the second insert of the same key is refused, and that of the counts is not.
      await assert.rejects(
        place.exec("insert into provisioned (kind, name, hash) values ('kept', 'kept', 'kept')"),
      );
      await place.exec("delete from message_counts where step = 'minute' and at < 0");
      await place.exec("delete from message_events where attempt is not null");
      await place.exec("delete from gateway_pauses where until is not null");
    } finally {
      await place.drop();
    }
  });
}

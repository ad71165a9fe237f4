// A database from before gets the status callbacks of messages. Its endpoints have no format: they post events to their own URLs.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutStatusCallbacks } from "../undone.ts";

for (const engine of engines) {
  test(`a schema from before gets status callbacks, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const table = "select message_id, callback from status_callbacks";
    try {
      await place.open();
      for (const statement of withoutStatusCallbacks) await place.exec(statement);
      await place.exec("delete from migrations where id >= 32");
      await assert.rejects(place.exec(table));
      await place.exec(
        `insert into accounts (id, name, time_zone, plan_name, lateness_ms, created_at, updated_at)
         values ('acc_1', 'acme', 'UTC', 'unlimited', 0, 0, 0)`,
      );
      const columns = "id, account_id, url, url_hash, events, active, secret, created_at, updated_at";
      await place.exec(
        `insert into webhook_endpoints (${columns}) values ('whe_1', 'acc_1', 'u', 'h', '[]', 1, 's', 0, 0)`,
      );
      await place.open();
      await place.exec(table);
      // Only a row that is found violates the primary key.
      await assert.rejects(
        place.exec(
          `insert into webhook_endpoints (${columns}) select ${columns} from webhook_endpoints where format is null`,
        ),
      );
    } finally {
      await place.drop();
    }
  });
}

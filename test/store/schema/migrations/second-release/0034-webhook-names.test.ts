// A database from before gets the names of webhook endpoints. Those that it has are shown by the host of their URL.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutWebhookNames } from "../undone.ts";

for (const engine of engines) {
  test(`an earlier schema gets names of webhooks, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutWebhookNames) await place.exec(statement);
      await place.exec("delete from migrations where id >= 34");
      await assert.rejects(place.exec("select name from webhook_endpoints"));
      await place.exec(
        `insert into accounts (id, name, time_zone, plan_name, lateness_ms, created_at, updated_at)
         values ('acc_1', 'acme', 'UTC', 'unlimited', 0, 0, 0)`,
      );
      const columns = "id, account_id, url, url_hash, events, active, secret, created_at, updated_at";
      await place.exec(
        `insert into webhook_endpoints (${columns}) values ('whe_1', 'acc_1', 'u', 'h', '[]', 1, 's', 0, 0)`,
      );
      await place.open();
      // Only a row that is found violates the primary key.
      await assert.rejects(
        place.exec(
          `insert into webhook_endpoints (${columns}) select ${columns} from webhook_endpoints where name is null`,
        ),
      );
    } finally {
      await place.drop();
    }
  });
}

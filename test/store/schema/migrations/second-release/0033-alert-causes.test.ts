// A database from before gets the causes of alerts. Its hooks report nothing of what needs attention.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutAlertCauses } from "../undone.ts";

for (const engine of engines) {
  test(`an earlier schema gets alert causes, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const table = "select hook_id, cause, since from alert_causes";
    const insert = (id: string, more: string, values: string) =>
      place.exec(
        `insert into hooks (id, account_id, name, hash, hint, rules, revision, created_at, updated_at${more})
         values ('${id}', 'acc_1', '${id}', '${id}', 'h', '{}', 1, 0, 0${values})`,
      );
    try {
      await place.open();
      for (const statement of withoutAlertCauses) await place.exec(statement);
      await place.exec("delete from migrations where id >= 33");
      await assert.rejects(place.exec(table));
      await place.exec(
        `insert into accounts (id, name, time_zone, plan_name, lateness_ms, created_at, updated_at)
         values ('acc_1', 'acme', 'UTC', 'unlimited', 0, 0, 0)`,
      );
      await insert("hook_1", "", "");
      await place.open();
      await place.exec(table);
      // A row with alerts = 0 is found: it is the one that this violates.
      await assert.rejects(
        place.exec("insert into hooks select * from hooks where alerts = 0 and alerts_failed_at is null"),
      );
      await insert("hook_2", ", alerts", ", 1");
    } finally {
      await place.drop();
    }
  });
}

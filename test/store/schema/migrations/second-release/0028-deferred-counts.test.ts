// Counts from before have no deferred attempts.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutDeferredCounts } from "../undone.ts";

for (const engine of engines) {
  test(`counts get deferred attempts, of which there were none, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutDeferredCounts) await place.exec(statement);
      await place.exec("delete from migrations where id >= 28");
      await assert.rejects(place.exec("select deferred from message_counts"));
      await place.exec(
        `insert into message_counts (account_id, step, at, gateway_id, channel, accepted, sent, delivered, read,
           undelivered, failed, bounced, expired, cancelled, suppressed, unknown, waits, deliveries)
         values ('acc_1', 'day', 0, 'gw_1', 'sms', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}', '{}')`,
      );
      await place.open();
      // Only a row that is found violates the primary key.
      await assert.rejects(
        place.exec(
          "insert into message_counts select * from message_counts where deferred = 0 and account_id = 'acc_1'",
        ),
      );
    } finally {
      await place.drop();
    }
  });
}

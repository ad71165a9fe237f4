// Mails of before have one recipient, and none of the rest.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutWholeMails } from "../undone.ts";

for (const engine of engines) {
  test(`mails get recipients, headers, tags and images, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutWholeMails) await place.exec(statement);
      await place.exec("delete from migrations where id >= 30");
      await assert.rejects(place.exec("select recipient from mail_recipients"));
      await place.open();
      await place.exec("select recipient from mail_recipients");
      await place.exec("select extras from emails");
    } finally {
      await place.drop();
    }
  });
}

// A database of the first schema gets the table of counts at its next start, and keeps what it has.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";

for (const engine of engines) {
  test(`a database without counts gets them, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      await place.exec("drop table message_counts");
      await place.exec("delete from migrations where id >= 2");
      await place.exec("insert into provisioned (kind, name, hash) values ('kept', 'kept', 'kept')");
      await place.open();
      // Both are there: the second insert of the same key is refused, and that of the counts is not.
      await assert.rejects(
        place.exec("insert into provisioned (kind, name, hash) values ('kept', 'kept', 'kept')"),
      );
      await place.exec("delete from message_counts where step = 'minute' and at < 0");
    } finally {
      await place.drop();
    }
  });
}

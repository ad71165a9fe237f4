// A database from before gets the columns of a caller's own words, and the index of references.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutOwnWords } from "../undone.ts";

for (const engine of engines) {
  test(`the twenty-first schema gets the caller's own words, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const named = "select reference, metadata from messages";
    try {
      await place.open();
      for (const statement of withoutOwnWords) await place.exec(statement);
      await place.exec("delete from migrations where id >= 22");
      await assert.rejects(place.exec(named));
      await place.open();
      await place.exec(named);
      await place.exec("drop index messages_reference");
    } finally {
      await place.drop();
    }
  });
}

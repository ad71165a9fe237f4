// Keys of pools of before have no previous text.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutPoolKeyRotation } from "../undone.ts";

for (const engine of engines) {
  test(`keys of pools get a previous text, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutPoolKeyRotation) await place.exec(statement);
      await place.exec("delete from migrations where id >= 29");
      await assert.rejects(place.exec("select previous_hash, previous_works_until from pool_keys"));
      await place.open();
      await place.exec("select previous_hash, previous_works_until from pool_keys");
      await assert.rejects(place.exec("create index pool_keys_previous on pool_keys (previous_hash)"));
    } finally {
      await place.drop();
    }
  });
}

// It is unknown who stopped a lane of before, and its failure began with its pause.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutStoppedBy } from "../undone.ts";

for (const engine of engines) {
  test(`lanes get who stopped them and since when they fail, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutStoppedBy) await place.exec(statement);
      await place.exec("delete from migrations where id >= 27");
      await assert.rejects(place.exec("select operator_paused_by, failing_since from lanes"));
      await place.open();
      await place.exec("select operator_paused_by, failing_since from lanes");
    } finally {
      await place.drop();
    }
  });
}

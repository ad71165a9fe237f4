// A management token from before does not end, and was never used.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutTokenEnds } from "../undone.ts";

for (const engine of engines) {
  test(`tokens from before get an end and a last use, which are null, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const made = (id: string) =>
      place.exec(
        `insert into management_tokens (id, hash, name, hint, role, created_at)
         values ('${id}', '${id}', '${id}', 'h', 'operator', 1)`,
      );
    try {
      await place.open();
      for (const statement of withoutTokenEnds) await place.exec(statement);
      await place.exec("delete from migrations where id >= 25");
      await assert.rejects(place.exec("select expires_at, last_used_at from management_tokens"));
      await made("tok_1");
      await place.open();
      // An update that finds no row of before would not violate the primary key below.
      await place.exec(
        "update management_tokens set id = 'tok_2' where id = 'tok_1' and expires_at is null and last_used_at is null",
      );
      await assert.rejects(made("tok_2"));
    } finally {
      await place.drop();
    }
  });
}

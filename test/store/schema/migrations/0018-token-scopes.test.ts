// A management token from before keeps all that its role may.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutTokenScopes } from "./undone.ts";

for (const engine of engines) {
  test(`tokens from before get scopes, which are null, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutTokenScopes) await place.exec(statement);
      await place.exec("delete from migrations where id >= 18");
      await assert.rejects(place.exec("select scopes from management_tokens"));
      await place.exec(
        `insert into management_tokens (id, hash, name, hint, role, created_at)
         values ('tok_1', 'hash', 'ci', 'tlm_…1234', 'operator', 1)`,
      );
      await place.open();
      // An update that finds no row of before would not violate the primary key below.
      await place.exec("update management_tokens set id = 'tok_2' where id = 'tok_1' and scopes is null");
      await assert.rejects(
        place.exec(
          `insert into management_tokens (id, hash, name, hint, role, created_at)
           values ('tok_2', 'another', 'another', 'h', 'operator', 1)`,
        ),
      );
    } finally {
      await place.drop();
    }
  });
}

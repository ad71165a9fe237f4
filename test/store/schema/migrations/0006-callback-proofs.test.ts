// The table of proofs that are good for one event.

import assert from "node:assert/strict";
import test from "node:test";
import { onBothEngines } from "../../conformance.ts";

onBothEngines((open) => {
  test("the migration is recorded, and a proof is there once", async () => {
    const { query } = open();
    const rows = await query<{ name: string }>("select name from migrations where id = 6");
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["callback-proofs"],
    );
    const keep = (event: string) => query("insert into callback_proofs values ('once', ?, 1)", event);
    await keep("first");
    await assert.rejects(keep("second"));
  });
});

// A member's change is told to its own account, once, if it asked, and says nothing of the member's settings.

import assert from "node:assert/strict";
import test from "node:test";
import { recordMemberEvent } from "#store/pools/events.ts";
import { onBothEngines } from "../conformance.ts";
import { listen, notesOf } from "../listener.ts";
import { fresh, makeAccount, now } from "../rows.ts";

onBothEngines((open) => {
  test("who asked for it hears of it, and others do not", async () => {
    const store = open();
    const [mine, deaf] = [await makeAccount(store.database), await makeAccount(store.database)];
    await listen(store, mine, ["pool.*"]);
    await listen(store, deaf, ["pool.member_up", "message.*"]);
    const data = { pool: "default", member: "main", kind: "sandbox", reason: "It is down." };
    const id = fresh("pm");
    for (const accountId of [mine, deaf])
      await store.database.run(recordMemberEvent, { id, accountId, type: "pool.member_down", at: now, data });
    const [note, ...more] = await notesOf(store, mine);
    assert.deepEqual(more, []);
    assert.deepEqual([note?.type, note?.at, note?.data], ["pool.member_down", now, data]);
    assert.deepEqual(await notesOf(store, deaf), []);
  });
});

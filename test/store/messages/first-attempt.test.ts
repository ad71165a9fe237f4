// The first attempt of a message, however many followed and however long ago.

import assert from "node:assert/strict";
import test from "node:test";
import { beginAttempts } from "#store/messages/attempts.ts";
import { findFirstAttempt } from "#store/messages/first-attempt.ts";
import { revertAttempts } from "#store/messages/recover.ts";
import { onBothEngines } from "../conformance.ts";
import { claim, makeMessages, now } from "../rows.ts";

onBothEngines((open) => {
  test("the first of several attempts; none of a message that waits", async () => {
    const store = open();
    const { database } = store;
    const { gatewayId: laneId, ids } = await makeMessages(database, { count: 2 });
    const fence = await claim(store, laneId);
    const id = ids[0]!;
    assert.equal(await database.run(findFirstAttempt, id), null);
    const stamp = { laneId, fence, ids: [id], lateBefore: 0, day: null };
    for (const at of [now + 5, now + 70_000]) {
      await database.run(beginAttempts, { ...stamp, at });
      const details = { at, dueAt: at, detail: "again", uncounted: true, code: null, message: null };
      await database.run(revertAttempts, { laneId, fence, ids: [id], details });
    }
    assert.equal(await database.run(findFirstAttempt, id), now + 5);
    assert.equal(await database.run(findFirstAttempt, ids[1]!), null);
  });
});

// A member's change, and a budget that runs low, are reported to its own account, once, if it asked, and says nothing of the member's settings.

import assert from "node:assert/strict";
import test from "node:test";
import { type LowBudget, recordLowBudget, recordMemberEvent } from "#store/pools/events.ts";
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

  test("a budget that runs low is reported once a period, whichever process says it", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    await listen(store, accountId, ["budget.*"]);
    const data: LowBudget["data"] = {
      scope: "account",
      pool: null,
      key: null,
      bound: "tokens_per_day",
      used: 81,
      limit: 100,
      percent: 81,
      restarts_at: "2027-01-16T00:00:00.000Z",
    };
    const report = (period: string, bound = data.bound, from = store.database) =>
      from.run(recordLowBudget, {
        id: fresh("bud"),
        accountId,
        ownerId: accountId,
        bound,
        period,
        at: now,
        data: { ...data, bound },
      });
    const first = [report("2027-01-15"), report("2027-01-15", data.bound, store.other)];
    assert.deepEqual((await Promise.all(first)).sort(), [false, true]);
    assert.equal(await report("2027-01-16"), true);
    assert.equal(await report("2027-01-15"), false, "a late one");
    assert.equal(await report("2027-01", "cost_per_month"), true);
    const notes = await notesOf(store, accountId);
    assert.deepEqual(
      notes.map(({ type }) => type),
      ["budget.low", "budget.low", "budget.low"],
    );
    assert.deepEqual(notes[0]?.data, data);
  });
});

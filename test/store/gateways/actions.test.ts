// Gateways stopped and let go on by hand: always the account's own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseByOperator, readGateways, resumeByOperator } from "#store/gateways/actions.ts";
import { pauseLane, resumeLane } from "#store/lanes/lanes.ts";
import { storeSends } from "#store/messages/insert.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { claim, fresh, makeAccount, makeGateway, now, sendOf } from "../rows.ts";

async function made(store: Store, columns: object = {}) {
  const accountId = await makeAccount(store.database);
  const id = await makeGateway(store.database, accountId, columns);
  return { accountId, id, identifier: `identifier-${id}` };
}
const laneOf = async (store: Store, id: string) =>
  (await store.query<LanesTable>("select * from lanes where id = ?", id))[0]!;

const upTo = (countTo: number) => ({ priorities: [0, 1, 2], now, countTo });

onBothEngines((open) => {
  test("stopped and let go on: a revision each, and the time between does not count", async () => {
    const store = open();
    const { id, ...own } = await made(store);
    const stop = (at: number) =>
      store.database.run(pauseByOperator, { ...own, at, reason: "by hand", by: "ada" });
    const go = (at: number) => store.database.run(resumeByOperator, { ...own, at });
    assert.equal(await stop(now + 10), true);
    assert.equal(await stop(now + 20), true);
    const stopped = await laneOf(store, id);
    assert.deepEqual(
      [stopped.operator_paused_at, stopped.revision, stopped.paused_since],
      [now + 10, 1, null],
    );
    assert.equal(await go(now + 110), true);
    assert.equal(await go(now + 120), true);
    const gone = await laneOf(store, id);
    assert.deepEqual([gone.operator_paused_at, gone.revision, gone.paused_ms], [null, 2, 100]);
  });

  test("letting go on ends a pause of trouble too, and counts the two of them once", async () => {
    const store = open();
    const { id, ...own } = await made(store);
    const fence = await claim(store, id);
    const pause = { id, fence, at: now, until: now + 5000, reason: "401", pauses: 1, eventId: fresh("evt") };
    assert.equal(await store.database.run(pauseLane, pause), true);
    await store.database.run(pauseByOperator, { ...own, at: now + 50, reason: "by hand", by: "ada" });
    const [shown] = await store.database.run(readGateways, { ...own, ...upTo(10) });
    assert.deepEqual(shown?.lane, {
      paused_until: now + 5000,
      pause_reason: "401",
      paused_since: now,
      operator_paused_at: now + 50,
      operator_paused_by: "ada",
      failing_since: now,
      paused_ms: 0,
      pauses: 1,
      day: null,
      day_count: 0,
    });
    await store.database.run(resumeByOperator, { ...own, at: now + 200 });
    const lane = await laneOf(store, id);
    assert.deepEqual(
      [lane.paused_ms, lane.paused_since, lane.paused_until, lane.pauses],
      [200, null, null, 1],
    );
    assert.equal(lane.operator_paused_by, null);
  });

  test("a failure began before an operator's attempt that failed as well, and ends with a success", async () => {
    const store = open();
    const { id, ...own } = await made(store);
    const fence = await claim(store, id);
    const fail = (at: number, pauses: number) =>
      store.database.run(pauseLane, {
        ...{ id, fence, at, until: at + 50, reason: "401", pauses },
        eventId: fresh("evt"),
      });
    const since = async () => (await laneOf(store, id)).failing_since;
    await fail(now, 1);
    await store.database.run(resumeByOperator, { ...own, at: now + 200 });
    assert.equal((await laneOf(store, id)).paused_since, null);
    await fail(now + 201, 2);
    assert.deepEqual([(await laneOf(store, id)).paused_since, await since()], [now + 201, now]);
    await store.database.run(resumeByOperator, { ...own, at: now + 300 });
    const success = { id, fence, at: now + 301, eventId: fresh("evt") };
    await store.database.run(resumeLane, success);
    assert.deepEqual([(await laneOf(store, id)).pauses, await since()], [0, null]);
    await fail(now + 900, 1);
    assert.equal(await since(), now + 900);
  });

  test("what waits is counted, up to a bound", async () => {
    const store = open();
    const { id, ...own } = await made(store);
    await store.database.run(storeSends, sendOf(own.accountId, id, { count: 5, cost: 0 }));
    const queue = async (countTo: number, at = Number.MAX_SAFE_INTEGER) =>
      (await store.database.run(readGateways, { ...own, ...upTo(countTo), now: at }))[0]?.queue;
    const first = (await queue(10))?.oldestDueAt;
    assert.ok(first);
    assert.deepEqual(await queue(10), { due: 5, oldestDueAt: first, later: 0, nextDueAt: null });
    assert.deepEqual(await queue(3), { due: 3, oldestDueAt: first, later: 0, nextDueAt: null });
    assert.deepEqual(await queue(3, first - 1), { due: 0, oldestDueAt: null, later: 3, nextDueAt: first });
  });

  test("another account's gateway is not found", async () => {
    const store = open();
    const { id, identifier } = await made(store, { active: 0 });
    const foreign = { accountId: await makeAccount(store.database), identifier };
    assert.deepEqual(await store.database.run(readGateways, { ...foreign, ...upTo(1) }), []);
    assert.equal(
      await store.database.run(pauseByOperator, { ...foreign, at: now, reason: "", by: null }),
      false,
    );
    assert.equal(await store.database.run(resumeByOperator, { ...foreign, at: now }), false);
    assert.equal((await laneOf(store, id)).revision, 0);
  });
});

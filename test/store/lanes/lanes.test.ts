// Lanes and their owners: heartbeats, claims with rising fences, releases, pauses.

import assert from "node:assert/strict";
import test from "node:test";
import { recordSession } from "#store/gateways/sessions.ts";
import {
  claimLanes,
  countWaiting,
  deleteProcesses,
  ensureLane,
  heartbeat,
  pauseLane,
  readLanes,
  releaseLanes,
  requestLane,
  resumeLane,
} from "#store/lanes/lanes.ts";
import { storeSends } from "#store/messages/insert.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { listen, notesOf } from "../listener.ts";
import { claim, fresh, makeAccount, makeGateway, now, sendOf } from "../rows.ts";

async function laneOf(store: Store, id: string): Promise<LanesTable> {
  const [lane] = await store.query<LanesTable>("select * from lanes where id = ?", id);
  assert.ok(lane);
  return lane;
}

const makeLane = async (store: Store) => makeGateway(store.database, await makeAccount(store.database));

onBothEngines((open) => {
  test("beating counts up, and shows every process and lane", async () => {
    const store = open();
    const [a, b] = [fresh("prc"), fresh("prc")];
    const lane = await makeLane(store);
    await store.database.run(heartbeat, { processId: a, at: now });
    await store.database.run(heartbeat, { processId: b, at: now });
    const seen = await store.database.run(heartbeat, { processId: a, at: now + 1000 });
    const heartbeats = new Map(seen.processes.map((process) => [process.id, process.heartbeat]));
    assert.deepEqual([heartbeats.get(a), heartbeats.get(b)], [2, 1]);
    const lanes = await store.database.run(readLanes, null);
    assert.deepEqual(
      lanes.find(({ id }) => id === lane),
      { id: lane, active: 1, owner: null, fence: 0, revision: 0, wanted_by: null },
    );
    const [started] = await store.query<{ at: number }>(
      "select started_at as at from processes where id = ?",
      a,
    );
    assert.equal(started?.at, now);
    await store.database.run(deleteProcesses, [b, fresh("prc")]);
    await store.database.run(deleteProcesses, []);
    const after = await store.database.run(heartbeat, { processId: a, at: now });
    assert.ok(after.processes.some(({ id }) => id === a) && !after.processes.some(({ id }) => id === b));
  });

  test("a beat tells what each process holds, in sums that change with every claim, revision, switch and removal", async () => {
    const store = open();
    const id = fresh("prc");
    const held = async () => {
      const { holdings } = await store.database.run(heartbeat, { processId: id, at: now });
      return holdings.filter(({ owner }) => owner === id);
    };
    assert.deepEqual(await held(), []);
    const [first, second] = [await makeLane(store), await makeLane(store)];
    await claim(store, first, id);
    await claim(store, second, id);
    const both = { owner: id, active: 1, lanes: 2, fences: 2, revisions: 0 };
    assert.deepEqual(await held(), [both]);
    await claim(store, second, id);
    assert.deepEqual(await held(), [{ ...both, fences: 3 }]);
    await store.query("update lanes set revision = revision + 1 where id = ?", first);
    assert.deepEqual(await held(), [{ ...both, fences: 3, revisions: 1 }]);
    await store.query("update lanes set active = 0 where id = ?", first);
    assert.deepEqual(
      (await held()).sort((a, b) => a.active - b.active),
      [
        { owner: id, active: 0, lanes: 1, fences: 1, revisions: 1 },
        { owner: id, active: 1, lanes: 1, fences: 2, revisions: 0 },
      ],
    );
    await store.query("delete from lanes where id = ?", first);
    assert.deepEqual(await held(), [{ owner: id, active: 1, lanes: 1, fences: 2, revisions: 0 }]);
  });

  test("of two processes that claim a lane at once exactly one gets it, with a fence one higher", async () => {
    const store = open();
    for (let round = 0; round < 50; round++) {
      const lane = await makeLane(store);
      const seen = [{ id: lane, owner: null, fence: 0 }];
      const taken = await Promise.all([
        store.database.run(claimLanes, { processId: "prc_a", lanes: seen }),
        store.other.run(claimLanes, { processId: "prc_b", lanes: seen }),
      ]);
      assert.equal(taken.flat().length, 1);
      const winner = taken[0].length === 1 ? "prc_a" : "prc_b";
      const { owner, fence } = await laneOf(store, lane);
      assert.deepEqual([owner, fence], [winner, 1]);
      assert.deepEqual([taken.flat()[0]?.owner, taken.flat()[0]?.fence], [winner, 1]);
    }
  });

  test("many lanes claimed at once in opposite orders: each is one process's", async () => {
    const store = open();
    const lanes: { id: string; owner: null; fence: number }[] = [];
    for (let i = 0; i < 30; i++) lanes.push({ id: await makeLane(store), owner: null, fence: 0 });
    const [a, b] = await Promise.all([
      store.database.run(claimLanes, { processId: "prc_a", lanes }),
      store.other.run(claimLanes, { processId: "prc_b", lanes: lanes.toReversed() }),
    ]);
    assert.deepEqual([...a, ...b].map(({ id }) => id).sort(), lanes.map(({ id }) => id).sort());
  });

  test("a lane is taken only as it was seen: a beat of its owner between does not matter, a takeover does", async () => {
    const store = open();
    const lane = await makeLane(store);
    assert.equal(await claim(store, lane, "prc_a"), 1);
    const take = (owner: string | null, fence: number) =>
      store.database.run(claimLanes, { processId: "prc_c", lanes: [{ id: lane, owner, fence }] });
    assert.deepEqual(await take(null, 1), [], "it has an owner");
    assert.deepEqual(await take("prc_b", 1), [], "it has another owner");
    assert.deepEqual(await take("prc_a", 0), [], "it has a higher fence");
    assert.equal((await take("prc_a", 1))[0]?.fence, 2);
    assert.deepEqual(await take("prc_a", 1), [], "it was taken meanwhile");
  });

  test("a lane that another process asked for since it was seen is not taken from it", async () => {
    const store = open();
    const lane = await makeLane(store);
    const seenNow = async () => (await store.database.run(readLanes, null)).filter(({ id }) => id === lane);
    const take = (processId: string, lanes: Awaited<ReturnType<typeof seenNow>>) =>
      store.database.run(claimLanes, { processId, lanes });
    const before = await seenNow();
    await store.other.run(requestLane, { id: lane, processId: "prc_late" });
    assert.deepEqual(await take("prc_a", before), [], "its request came meanwhile");
    assert.equal((await laneOf(store, lane)).wanted_by, "prc_late");
    assert.equal((await take("prc_late", before)).length, 1, "who asked takes it");
    await store.other.run(requestLane, { id: lane, processId: "prc_dead" });
    // One that asked and is dead by now was seen as such.
    const [taken] = await take("prc_a", await seenNow());
    assert.deepEqual([taken?.owner, taken?.wanted_by], ["prc_a", null]);
  });

  test("only its holder releases a lane, under the fence it holds", async () => {
    const store = open();
    const lane = await makeLane(store);
    await claim(store, lane, "prc_a");
    const fence = await claim(store, lane, "prc_b");
    const release = (processId: string, under: number) =>
      store.database.run(releaseLanes, { processId, lanes: [{ id: lane, fence: under }] });
    await release("prc_a", 1);
    await release("prc_a", fence);
    await release("prc_b", 1);
    assert.equal((await laneOf(store, lane)).owner, "prc_b");
    await release("prc_b", fence);
    const { owner, fence: kept } = await laneOf(store, lane);
    assert.deepEqual([owner, kept], [null, fence], "the fence never goes back");
    assert.equal(await claim(store, lane, "prc_a"), fence + 1);
  });

  test("pauses add up on the lane's clock, a longer pause is one pause", async () => {
    const store = open();
    const lane = await makeLane(store);
    const fence = await claim(store, lane);
    const pause = (at: number, until: number, pauses: number, under = fence) =>
      store.database.run(pauseLane, {
        id: lane,
        fence: under,
        at,
        until,
        reason: `no. ${pauses}`,
        pauses,
        eventId: fresh("gp"),
      });
    assert.equal(await pause(now, now + 5000, 1), true);
    assert.equal(await pause(now + 5000, now + 15_000, 2), true);
    let row = await laneOf(store, lane);
    assert.deepEqual(
      [row.paused_since, row.paused_until, row.pause_reason, row.pauses, row.paused_ms],
      [now, now + 15_000, "no. 2", 2, 0],
    );
    await store.database.run(resumeLane, { id: lane, fence, at: now + 15_500, eventId: fresh("gp") });
    row = await laneOf(store, lane);
    assert.deepEqual(
      [row.paused_since, row.paused_until, row.pause_reason, row.pauses, row.paused_ms],
      [null, null, null, 0, 15_500],
    );
    await store.database.run(resumeLane, { id: lane, fence, at: now + 99_000, eventId: fresh("gp") });
    assert.equal((await laneOf(store, lane)).paused_ms, 15_500, "resuming what runs adds nothing");
    await pause(now + 100_000, now + 105_000, 1);
    await store.database.run(resumeLane, { id: lane, fence, at: now + 100_500, eventId: fresh("gp") });
    assert.equal((await laneOf(store, lane)).paused_ms, 16_000);
  });

  test("who lost the lane neither pauses nor resumes it", async () => {
    const store = open();
    const lane = await makeLane(store);
    const old = await claim(store, lane, "prc_a");
    const fence = await claim(store, lane, "prc_b");
    const pause = { id: lane, at: now, until: now + 1, reason: "x", pauses: 1, eventId: fresh("gp") };
    assert.equal(await store.database.run(pauseLane, { ...pause, fence: old }), false);
    assert.equal((await laneOf(store, lane)).paused_since, null);
    assert.equal(await store.database.run(pauseLane, { ...pause, fence }), true);
    await store.database.run(resumeLane, { id: lane, fence: old, at: now + 9, eventId: fresh("gp") });
    assert.equal((await laneOf(store, lane)).paused_since, now);
  });

  test("the beginning and the end of a pause are reported once each, a longer pause is not, nor one that was not ours to end", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    const id = await makeGateway(database, accountId, { identifier: fresh("told"), is_default: 1 });
    await listen(store, accountId, ["gateway.*"]);
    const fence = await claim(store, id);
    const pause = (at: number, eventId: string, under = fence) =>
      database.run(pauseLane, { id, fence: under, at, until: at + 5, reason: "bad key", pauses: 1, eventId });
    await pause(now, "gp_0", fence - 1);
    await pause(now + 1, "gp_1");
    await pause(now + 2, "gp_2");
    await database.run(resumeLane, { id, fence: fence - 1, at: now + 3, eventId: "gp_3" });
    await database.run(resumeLane, { id, fence, at: now + 4, eventId: "gp_4" });
    await database.run(resumeLane, { id, fence, at: now + 5, eventId: "gp_5" });
    // Stopped by hand it is paused already, and stays so: what its last outcomes do to it is no news.
    await store.query("update lanes set operator_paused_at = 1 where id = ?", id);
    await pause(now + 6, "gp_6");
    await database.run(resumeLane, { id, fence, at: now + 7, eventId: "gp_7" });
    const [gateway] = await store.query<{ identifier: string }>("select * from gateways where id = ?", id);
    const data = {
      identifier: gateway?.identifier,
      channel: "sms",
      kind: "http-api",
      active: true,
      default: true,
    };
    assert.deepEqual(await notesOf(store, accountId), [
      { id: "evt_1_paused", type: "gateway.paused", at: now + 1, data: { ...data, reason: "bad key" } },
      { id: "evt_4_resumed", type: "gateway.resumed", at: now + 4, data: { ...data, reason: null } },
    ]);
  });

  test("a lane that is no gateway's pauses like any other, and records no event", async () => {
    const store = open();
    const id = fresh("wh");
    await store.database.run(ensureLane, { id, kind: "webhook" });
    const fence = await claim(store, id);
    const pause = { id, fence, at: now, until: now + 5, reason: "x", pauses: 1, eventId: fresh("gp") };
    assert.equal(await store.database.run(pauseLane, pause), true);
    await store.database.run(resumeLane, { id, fence, at: now + 7, eventId: fresh("gp") });
    assert.equal((await laneOf(store, id)).paused_ms, 7);
    const counts = await store.database.run(countWaiting, { priorities: [0, 1, 2], now });
    assert.ok(counts.every(({ identifier }) => identifier !== id));
  });

  test("what waits is counted when due, over all priorities", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    const id = await makeGateway(database, accountId, { identifier: "counted" });
    await makeGateway(database, accountId, { identifier: "quiet" });
    await database.run(
      storeSends,
      sendOf(accountId, id, { count: 3, priority: 0, each: { due_at: now - 5 } }),
    );
    await database.run(
      storeSends,
      sendOf(accountId, id, { count: 2, priority: 2, each: { due_at: now - 7 } }),
    );
    await database.run(storeSends, sendOf(accountId, id, { priority: 1, each: { due_at: now + 1 } }));
    const fence = await claim(store, id);
    await database.run(pauseLane, {
      id,
      fence,
      at: now,
      until: now + 1,
      reason: "x",
      pauses: 1,
      eventId: fresh("gp"),
    });
    const session = {
      gateway_id: id,
      status: "connected" as const,
      reason: null,
      pairing: null,
      pairing_expires_at: null,
      changed_at: now,
      details: null,
    };
    await database.run(recordSession, { fence, linked: false, eventId: fresh("gs"), session });
    const counts = await database.run(countWaiting, { priorities: [0, 1, 2], now });
    const of = (gateway: string) => counts.find(({ identifier }) => identifier === gateway);
    assert.deepEqual(of("counted"), {
      identifier: "counted",
      waiting: 5,
      oldest: now - 7,
      paused: 1,
      connected: 1,
    });
    assert.deepEqual(of("quiet"), {
      identifier: "quiet",
      waiting: 0,
      oldest: null,
      paused: 0,
      connected: null,
    });
  });
});

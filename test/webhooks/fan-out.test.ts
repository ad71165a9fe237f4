// The fan-out: what is asked for is sent, hints may get lost, and no fault of the storage ends it.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { eventRecordOf } from "#messaging/record.ts";
import type { OpenLane } from "#queue/open-lane.ts";
import { newLane } from "#store/lanes/lanes.ts";
import { readPendingDeliveries } from "#store/webhooks/deliveries.ts";
import { changeEndpoint } from "#store/webhooks/endpoints.ts";
import { readOutbox } from "#store/webhooks/fan-out.ts";
import { eventBody, type FanOutDeps, fanOutLane, fanOutOnce, openFanOut } from "#webhooks/fan-out.ts";
import { onChanges } from "../changes.ts";
import { type Harness, harness } from "../harness.ts";
import { deliveries, listen } from "../scenarios/receiver.ts";

let it: Harness;
let accountId: string;
let woken: [id: string, dueAt: number][];
let deps: FanOutDeps;
let lane: OpenLane | null = null;

beforeEach(async () => {
  it = await harness({ started: false });
  accountId = (await it.account()).id;
  await it.gateway({ identifier: "main", default: true });
  woken = [];
  onChanges(it.system.database, { due: (id, dueAt) => void woken.push([id, dueAt]) });
  deps = {
    database: it.system.database,
    clock: it.clock,
    log: it.log,
    crashPoint: () => {},
    record: (message) => eventRecordOf(message),
    pollMs: 60_000,
  };
});
afterEach(async () => {
  await lane?.stop();
  lane = null;
  await it.close();
});

const contact = { number: "+4915123456789", message: 'Grüße "quoted"' };
const waiting = async (id: string) => (await deliveries(it, accountId, id)).length;
const notes = async () => (await it.system.database.run(readOutbox, { limit: 10 })).steps.length;

test("the text is type, time and record, and goes to who asks for it; the others' lanes are not woken", async () => {
  const asks = await listen(it, accountId, { url: "https://one.test/", events: ["message.queued"] });
  const other = await listen(it, accountId, { url: "https://two.test/", events: ["message.scheduled"] });
  const [id] = await it.accepted([contact]);
  woken = [];
  assert.equal(await fanOutOnce(deps), false);
  assert.deepEqual([await waiting(asks), await waiting(other)], [1, 0]);
  assert.deepEqual(woken, [[asks, it.clock.now()]]);
  const [row] = await deliveries(it, accountId, asks);
  const read = { endpointId: asks, fence: 0, eventIds: [row!.event_id] };
  const found = await it.system.database.run(readPendingDeliveries, read);
  assert.ok(found.kind === "ready");
  const { events: _, waiting_for: __, message, ...record } = await it.message(id!);
  const at = new Date(it.clock.now()).toISOString();
  assert.equal(
    found.deliveries[0]?.body,
    JSON.stringify({ type: "message.queued", timestamp: at, data: { ...record, message } }),
  );
  assert.equal(await notes(), 0);
});

test("what no endpoint asks for any more goes without a word", async () => {
  const id = await listen(it, accountId);
  await it.accepted([contact]);
  const change = { events: '["message.read"]' };
  await it.system.database.run(changeEndpoint, { accountId, revision: null, id, at: it.clock.now(), change });
  woken = [];
  await fanOutOnce(deps);
  assert.deepEqual([await waiting(id), woken.length, await notes()], [0, 0, 0]);
});

test("an empty outbox is not written to", async () => {
  let writes = 0;
  const { database } = deps;
  const run: typeof database.run = (operation, input) => {
    if (operation.access === "write") writes += 1;
    return database.run(operation, input);
  };
  assert.equal(await fanOutOnce({ ...deps, database: { ...database, run } }), false);
  assert.equal(writes, 0);
});

test("it tells at once when it is woken, and within the poll when the hint was lost", async () => {
  const id = await listen(it, accountId, { events: ["message.queued"] });
  lane = openFanOut(deps, newLane(fanOutLane.id, fanOutLane.kind));
  await it.settle();
  await it.accepted([contact, contact]);
  lane.wake();
  await it.settle();
  assert.equal(await waiting(id), 2);
  await it.accepted([contact]);
  await it.advance(59_999);
  assert.equal(await waiting(id), 2);
  await it.advance(1);
  assert.equal(await waiting(id), 3);
});

test("it goes on after a fault, and waits longer from one to the next, however often it is woken", async () => {
  const id = await listen(it, accountId, { events: ["message.queued"] });
  await it.accepted([contact]);
  it.storageFault("io");
  lane = openFanOut(deps, newLane(fanOutLane.id, fanOutLane.kind));
  for (let second = 0; second < 120; second++) {
    lane.wake();
    await it.advance(1000);
  }
  const faults = it.log.text().match(/"event":"fan_out\.failed"/g)?.length ?? 0;
  assert.ok(faults >= 12 && faults <= 18, `${faults} faults in two minutes`);
  it.storageFault(null);
  await it.advance(10_000);
  assert.equal(await waiting(id), 1);
});

test("it stops between two pages, also while it waits out a fault", async () => {
  it.storageFault("io");
  await listen(it, accountId).catch(() => {});
  it.storageFault(null);
  const idle = openFanOut(deps, newLane(fanOutLane.id, fanOutLane.kind));
  await it.settle();
  await idle.stop();
  await listen(it, accountId);
  await it.accepted([contact]);
  it.storageFault("io");
  const faulty = openFanOut(deps, newLane(fanOutLane.id, fanOutLane.kind));
  await it.settle();
  await faulty.stop();
  it.storageFault(null);
  await it.advance(120_000);
  assert.equal(await notes(), 1, "no endpoint is there to get it");
});

test("what a process left waiting for a switched-off endpoint is stopped when it starts", async () => {
  const id = await listen(it, accountId, { events: ["message.queued"] });
  await it.accepted([contact]);
  await fanOutOnce(deps);
  await it.system.database.run(changeEndpoint, {
    accountId,
    revision: null,
    id,
    at: it.clock.now(),
    change: { active: false },
  });
  lane = openFanOut(deps, newLane(fanOutLane.id, fanOutLane.kind));
  await it.settle();
  const [row] = await deliveries(it, accountId, id);
  assert.deepEqual([row?.status, row?.due_at], ["failed", null]);
});

test("an event's text has no more than its three fields", () => {
  assert.equal(
    eventBody("gateway.paused", 0, { reason: "no balance" }),
    '{"type":"gateway.paused","timestamp":"1970-01-01T00:00:00.000Z","data":{"reason":"no balance"}}',
  );
});

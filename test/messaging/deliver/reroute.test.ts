// Messages on a gateway that is switched off or paused: those that named none move to another one, the others wait.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput } from "#configure/account.ts";
import { upsertGateway } from "#configure/gateway.ts";
import { deleteGateway } from "#configure/gateway-actions.ts";
import { type GatewayFields, gatewayFields } from "#contract/manage/gateways.ts";
import { moveFromInactive, moveFromPaused, openReroute } from "#messaging/deliver/reroute.ts";
import type { Database } from "#store/database.ts";
import { findGateway, saveGateway } from "#store/gateways/gateways.ts";
import { claimLanes, pauseLane, resumeLane } from "#store/lanes/lanes.ts";
import { storeSends } from "#store/messages/insert.ts";
import { onChanges } from "../../changes.ts";
import { type Configuring, openConfiguring } from "../../configure/deps.ts";
import { upsertAccount } from "../../configure/upsert-account.ts";
import { sendOf } from "../../store/rows.ts";

let open: Configuring;
before(async () => {
  open = await openConfiguring();
});
after(() => open.close());

async function gateway(
  accountId: string,
  identifier: string,
  more: Partial<GatewayFields> = {},
): Promise<string> {
  const input = gatewayFields.parse({ identifier, channel: "sms", kind: "sandbox", ...more });
  const result = await upsertGateway(open.deps, accountId, input);
  assert.ok(result.kind === "saved");
  return result.id;
}

const account = (name: string) => upsertAccount(open.deps, accountInput.parse({ name }));
const waitingOn = (gatewayId: string) =>
  open.query("select id from messages where gateway_id = ? and due_at is not null", gatewayId).length;

test("those that named no gateway move, and the lane that gets them is woken", async (context) => {
  const accountId = await account("moving");
  const old = await gateway(accountId, "m-old", { default: true });
  const plain = await gateway(accountId, "m-plain");
  const preferred = await gateway(accountId, "m-default");
  const { database } = open.deps;
  await database.run(storeSends, sendOf(accountId, old, { count: 2500 }));
  await database.run(storeSends, sendOf(accountId, old, { count: 3, each: { gateway_pinned: 1 } }));
  const woken: string[] = [];
  const { deps } = open;
  const end = onChanges(deps.database, { due: (id) => void woken.push(id) });
  context.after(end);
  await moveFromInactive(deps);
  assert.equal(waitingOn(old), 2503, "an active gateway keeps what it has");
  await gateway(accountId, "m-old", { active: false });
  await gateway(accountId, "m-default", { default: true });
  await moveFromInactive(deps);
  assert.deepEqual([waitingOn(old), waitingOn(plain), waitingOn(preferred)], [3, 0, 2500]);
  assert.ok(woken.length > 0 && woken.every((id) => id === preferred));
  woken.length = 0;
  await moveFromInactive(deps);
  assert.deepEqual(woken, [], "nothing is left to do");
});

test("without another gateway they wait, and move once there is one", async () => {
  const accountId = await account("waiting");
  const only = await gateway(accountId, "w-only", { default: true });
  await open.deps.database.run(storeSends, sendOf(accountId, only));
  await gateway(accountId, "w-only", { active: false });
  await gateway(accountId, "w-email", { channel: "email" });
  const { deps } = open;
  await moveFromInactive(deps);
  assert.equal(waitingOn(only), 1);
  const other = await gateway(accountId, "w-other");
  await moveFromInactive(deps);
  assert.deepEqual([waitingOn(only), waitingOn(other)], [0, 1]);
});

test("a test message is not sent for real because its sandbox was switched off", async () => {
  const accountId = await account("testing");
  const sandbox = await gateway(accountId, "t-sandbox", { default: true });
  await open.deps.database.run(storeSends, sendOf(accountId, sandbox));
  const real = await gateway(accountId, "t-real", {
    kind: "http-api",
    settings: { url: "https://sms.example.com/", body: { to: "{{to}}", text: "{{message}}" } },
  });
  await gateway(accountId, "t-sandbox", { active: false });
  const { deps } = open;
  await moveFromInactive(deps);
  assert.deepEqual([waitingOn(sandbox), waitingOn(real)], [1, 0]);
});

/** A gateway of the account whose lane this test owns, to pause it and to let it go on. */
async function owned(accountId: string, identifier: string, more: Partial<GatewayFields> = {}) {
  return await claimed(await gateway(accountId, identifier, more));
}

async function claimed(id: string) {
  const { database, clock } = open.deps;
  const [lane] = await database.run(claimLanes, {
    processId: "prc_1",
    lanes: [{ id, owner: null, fence: 0 }],
  });
  assert.ok(lane);
  const { fence } = lane;
  const change = { id, fence, eventId: "gp_1" };
  return {
    id,
    waiting: () => waitingOn(id),
    pause: (forMs: number) => {
      const at = clock.now();
      return database.run(pauseLane, { ...change, at, until: at + forMs, reason: "bad key", pauses: 1 });
    },
    resume: () => database.run(resumeLane, { ...change, at: clock.now() }),
  };
}

const wanting = (name: string) =>
  upsertAccount(open.deps, accountInput.parse({ name, channel_failover: true }));
/** A send that is due by the clock of these tests. */
const due = (accountId: string, gatewayId: string, count: number, each: object = {}) =>
  open.deps.database.run(
    storeSends,
    sendOf(accountId, gatewayId, { count, each: { due_at: open.deps.clock.now(), ...each } }),
  );

test("from a paused gateway they move to the default one, or else the oldest, that is well, of the same channel", async (context) => {
  const accountId = await wanting("failing over");
  const main = await owned(accountId, "f-main");
  const second = await owned(accountId, "f-second");
  const third = await owned(accountId, "f-third", { default: true });
  await owned(accountId, "f-mail", { channel: "email" });
  await owned(accountId, "f-off", { active: false });
  await owned(accountId, "f-real", {
    kind: "http-api",
    settings: { url: "https://sms.example.com/", body: { to: "{{to}}", text: "{{message}}" } },
  });
  await due(accountId, main.id, 2500);
  await due(accountId, main.id, 2, { gateway_pinned: 1 });
  await due(accountId, main.id, 3, { due_at: open.deps.clock.now() + 1 });
  const woken: string[] = [];
  const { deps } = open;
  const end = onChanges(deps.database, { due: (id) => void woken.push(id) });
  context.after(end);
  assert.equal(await moveFromPaused(deps), false, "nothing is paused");
  await main.pause(60_000);
  await third.pause(60_000);
  assert.equal(await moveFromPaused(deps), true);
  assert.deepEqual([main.waiting(), second.waiting(), third.waiting()], [5, 2500, 0]);
  assert.deepEqual(new Set(woken), new Set([second.id]));
  await third.resume();
  await second.pause(60_000);
  await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), second.waiting(), third.waiting()], [5, 0, 2500]);
  await open.deps.clock.advance(60_001);
  assert.equal(await moveFromPaused(deps), false, "the pauses are over");
  assert.equal(main.waiting(), 5);
});

test("among paused ones alone nothing moves; one whose pause is over is lent one message to show itself", async () => {
  const accountId = await wanting("lending");
  const main = await owned(accountId, "l-main");
  const second = await owned(accountId, "l-second");
  await due(accountId, main.id, 10);
  const { deps } = open;
  await main.pause(60_000);
  await second.pause(1000);
  await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), second.waiting()], [10, 0]);
  await open.deps.clock.advance(1000);
  for (let look = 0; look < 3; look++) await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), second.waiting()], [9, 1]);
  // It was refused: the message stays where it is, until one of the two may be well.
  await second.pause(2000);
  for (let look = 0; look < 3; look++) await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), second.waiting()], [9, 1]);
  await second.resume();
  await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), second.waiting()], [0, 10]);
});

test("an account that does not want it keeps its messages where they are", async () => {
  const accountId = await account("staying");
  const main = await owned(accountId, "s-main");
  await owned(accountId, "s-second");
  await due(accountId, main.id, 3);
  await main.pause(60_000);
  await moveFromPaused(open.deps);
  assert.equal(main.waiting(), 3);
});

/** A gateway for real messages that sends more than text: a sandbox that does not count as one. */
async function versatile(accountId: string, identifier: string, more: Partial<GatewayFields> = {}) {
  const id = await gateway(accountId, identifier, more);
  const row = await open.deps.database.run(findGateway, id);
  assert.ok(row);
  assert.equal(await open.deps.database.run(saveGateway, { ...row, test: 0 }), "saved");
  return id;
}
const textsOnly = {
  kind: "http-api",
  settings: { url: "https://sms.example.com/", body: { to: "{{to}}", text: "{{message}}" } },
};

test("from a gateway that was switched off, each message moves to one that can send its content", async () => {
  const accountId = await account("mixed");
  const old = await versatile(accountId, "x-old", { default: true });
  const texts = await gateway(accountId, "x-texts", { ...textsOnly, default: true });
  await due(accountId, old, 3);
  await due(accountId, old, 2, { content: "email" });
  await open.deps.database.run(saveGateway, {
    ...(await open.deps.database.run(findGateway, old))!,
    active: 0,
  });
  const { deps } = open;
  await moveFromInactive(deps);
  assert.deepEqual([waitingOn(old), waitingOn(texts)], [2, 3], "what no gateway can send waits");
  const second = await versatile(accountId, "x-second");
  await moveFromInactive(deps);
  assert.deepEqual([waitingOn(old), waitingOn(texts), waitingOn(second)], [0, 3, 2]);
});

test("from a paused gateway, each message moves to one that can send its content", async () => {
  const accountId = await wanting("mixed failover");
  await versatile(accountId, "y-main");
  await gateway(accountId, "y-texts", { ...textsOnly, default: true });
  await versatile(accountId, "y-second");
  const own = (identifier: string) =>
    claimed(open.query("select id from gateways where identifier = ?", identifier)[0]!.id as string);
  const [main, texts, second] = [await own("y-main"), await own("y-texts"), await own("y-second")];
  await due(accountId, main.id, 3);
  await due(accountId, main.id, 2, { content: "email" });
  await main.pause(60_000);
  await second.pause(1000);
  const { deps } = open;
  await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), texts.waiting(), second.waiting()], [2, 3, 0]);
  await open.deps.clock.advance(1000);
  for (let look = 0; look < 3; look++) await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), texts.waiting(), second.waiting()], [1, 3, 1], "one probe");
  await second.resume();
  await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), texts.waiting(), second.waiting()], [0, 3, 2]);
});

test("one that is being deleted gets nothing, and what it has leaves it while it is paused", async () => {
  const accountId = await wanting("leaving");
  const main = await owned(accountId, "d-main");
  const leaving = await owned(accountId, "d-leaving");
  await due(accountId, main.id, 3);
  await due(accountId, leaving.id, 2);
  const outcome = await deleteGateway(open.deps, accountId, "d-leaving");
  assert.deepEqual(outcome, { kind: "draining", waiting: 2, sending: 0 });
  const { deps } = open;
  await main.pause(60_000);
  await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), leaving.waiting()], [3, 2]);
  await leaving.pause(60_000);
  await main.resume();
  await moveFromPaused(deps);
  assert.deepEqual([main.waiting(), leaving.waiting()], [5, 0]);
});

const looping = { crashPoint: () => {} };

test("a pause is noticed at once, and looked after every second while it lasts", async () => {
  const accountId = await wanting("prompt");
  const main = await owned(accountId, "p-main");
  const second = await owned(accountId, "p-second");
  const { clock } = open.deps;
  const deps = { ...open.deps, ...looping, intervalMs: 3_600_000 };
  const lane = openReroute(deps, { id: "reroute", fence: 1 });
  const asleep = async () => {
    await clock.settle();
    while (clock.sleeping() === 0) await clock.settle();
  };
  await asleep();
  await due(accountId, main.id, 2);
  await main.pause(60_000);
  lane.wake();
  while (main.waiting() > 0) await clock.settle();
  await asleep();
  await due(accountId, main.id, 1);
  await clock.advance(1000);
  while (main.waiting() > 0) await clock.settle();
  assert.equal(second.waiting(), 3);
  await lane.stop();
});

test("it looks again and again, lives through a fault of the storage, and stops when told", async () => {
  let looks = 0;
  const failing: Database = {
    ...open.deps.database,
    run: async (operation, input) => {
      looks += 1;
      if (looks === 1) throw new Error("lost for a moment");
      return await open.deps.database.run(operation, input);
    },
  };
  const { clock, log } = open.deps;
  const deps = { ...open.deps, ...looping, database: failing, intervalMs: 1000 };
  const lane = openReroute(deps, { id: "reroute", fence: 1 });
  while (clock.sleeping() === 0) await clock.settle();
  const before = looks;
  await clock.advance(1000);
  while (clock.sleeping() === 0) await clock.settle();
  assert.ok(looks > before);
  assert.match(log.text(), /could not be moved/);
  await lane.stop();
});

// What a session is given, and what ends with it: its state under the lane's fence, its reports, its processes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionLost, type SessionReport } from "#gateways/session.ts";
import { readSessionValues } from "#store/gateways/sessions.ts";
import { claimLanes } from "#store/lanes/lanes.ts";
import { database, play, playSessions } from "./played-session.ts";

playSessions();

test("what it keeps is sealed, and there for the next session", async () => {
  const played = await play();
  await played.hosts[0]!.state.save(new Map([["creds", "secret words"]]));
  await played.hosts[0]!.state.save(
    new Map([
      ["key", "1"],
      ["gone", null],
    ]),
  );
  const rows = await database.run(readSessionValues, played.gatewayId);
  assert.equal(JSON.stringify(rows).includes("secret words"), false);
  played.hosts[0]!.fail("restart");
  await played.clock.advance(1_000);
  assert.deepEqual(
    await played.hosts[1]!.state.load(),
    new Map([
      ["creds", "secret words"],
      ["key", "1"],
    ]),
  );
});

test("once another process owns the lane, nothing is stored and no session is opened any more", async () => {
  const played = await play();
  const lanes = [{ id: played.gatewayId, owner: "one", fence: 1 }];
  await database.run(claimLanes, { processId: "two", lanes });
  await assert.rejects(played.hosts[0]!.state.save(new Map([["creds", "stale"]])), SessionLost);
  await played.clock.advance(600_000);
  assert.deepEqual(played.closed, [1]);
  assert.equal(played.hosts.length, 1);
  assert.deepEqual(await database.run(readSessionValues, played.gatewayId), []);
});

test("a report is repeated while storage is away, and resolves when it is stored", async () => {
  let away = 3;
  const stored: SessionReport[] = [];
  const played = await play({
    deps: {
      storeReport: async (report) => {
        away -= 1;
        if (away >= 0) throw new Error("storage is away");
        stored.push(report);
      },
    },
  });
  const report = { receipts: [{ reference: "ref", status: "delivered" as const }] };
  let done = false;
  const reporting = played.hosts[0]!.report(report).then(() => {
    done = true;
  });
  await played.clock.advance(1_000);
  assert.equal(done, false);
  await played.clock.advance(10_000);
  await reporting;
  assert.deepEqual(stored, [report]);
});

test("a report that storage never takes rejects when the session is closed", async () => {
  const played = await play({
    deps: { storeReport: () => Promise.reject(new Error("storage is away")) },
  });
  const reporting = assert.rejects(played.hosts[0]!.report({}), SessionLost);
  await played.clock.advance(1_000);
  const closing = played.supervisor.close();
  await played.clock.advance(1);
  await Promise.all([reporting, closing]);
});

test("a session that does not close is given up after 10 s", async () => {
  const played = await play({ open: () => ({ close: () => new Promise(() => {}) }) });
  let closed = false;
  const closing = played.supervisor.close().then(() => {
    closed = true;
  });
  await played.clock.advance(9_999);
  assert.equal(closed, false);
  await played.clock.advance(1);
  await closing;
});

test("a child process ends once its session is closed, which may still talk to it", async () => {
  const module = new URL("../../runtime/children/echo-child.ts", import.meta.url);
  const farewells: unknown[] = [];
  const played = await play({
    open: () => ({
      close: async () => {
        const heard = new Promise((resolve) => child.onMessage(resolve));
        child.send("farewell");
        farewells.push(await heard);
      },
    }),
  });
  const child = played.hosts[0]!.child(module);
  const answer = new Promise((resolve) => child.onMessage(resolve));
  child.send("hello");
  assert.equal(await answer, "hello");
  played.hosts[0]!.fail("restart");
  assert.match(await child.ended, /ended/);
  assert.deepEqual(farewells, ["farewell"]);
});

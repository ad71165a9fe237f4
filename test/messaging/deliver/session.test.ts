// The supervisor of a gateway's session, over real storage and a session that the test plays.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { type GatewaySession, type SessionHost, SessionLost, type SessionReport } from "#gateways/session.ts";
import { type SessionDeps, SessionSupervisor } from "#messaging/deliver/session.ts";
import type { Database } from "#store/database.ts";
import { pairingContext, readSession, readSessionValues } from "#store/gateways/sessions.ts";
import { claimLanes } from "#store/lanes/lanes.ts";
import { createSealer } from "#store/seal.ts";
import { type MovableClock, movableClock } from "../../clock.ts";
import { scriptedOutbound } from "../../gateways/scripted-outbound.ts";
import { type Ground, ground, seededRandom } from "../../harness.ts";
import { memoryLog } from "../../log.ts";
import { makeAccount, makeGateway } from "../../store/rows.ts";

let place: Ground;
let database: Database;
before(async () => {
  place = await ground("sqlite");
  database = await place.open();
});
after(async () => {
  await database?.close();
  await place?.remove();
});

const accepted: Outcome = { kind: "accepted", reference: "ref" };
const message: OutgoingMessage = {
  id: "msg_1",
  recipient: "+15550000001",
  content: { kind: "text", text: "Hello" },
  attempt: 1,
};

interface Played {
  clock: MovableClock;
  log: ReturnType<typeof memoryLog>;
  gatewayId: string;
  supervisor: SessionSupervisor;
  /** Hosts of the sessions that were opened, oldest first, with the time of each. */
  hosts: SessionHost[];
  openedAt: number[];
  /** What was done to the lane: a reason, null, or `resume`. */
  lane: (string | null)[];
  closed: number[];
  reports: SessionReport[];
  send(): Promise<Outcome>;
}

const running: Played[] = [];
afterEach(async () => {
  for (const { supervisor, clock } of running.splice(0)) {
    const closing = supervisor.close();
    await clock.advance(60_000);
    await closing;
  }
});

interface Script {
  open?(host: SessionHost, number: number): Promise<Partial<GatewaySession>> | Partial<GatewaySession>;
  linked?: boolean;
  deps?: Partial<SessionDeps>;
}

async function play({ open = () => ({}), linked = false, deps = {} }: Script = {}): Promise<Played> {
  const calls = new Set<Promise<unknown>>();
  const clock = movableClock(undefined, {
    idle: async () => {
      for (let quiet = 0; quiet < 2; quiet += 1) {
        while (calls.size > 0) {
          quiet = 0;
          await Promise.allSettled(calls);
        }
        for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  });
  const run: Database["run"] = (operation, input) => {
    const call = database.run(operation, input);
    calls.add(call);
    const done = () => calls.delete(call);
    call.then(done, done);
    return call;
  };
  const log = memoryLog();
  const gatewayId = await makeGateway(database, await makeAccount(database), { kind: "played" });
  await database.run(claimLanes, { processId: "one", lanes: [{ id: gatewayId, owner: null, fence: 0 }] });
  const it: Omit<Played, "supervisor" | "send"> = {
    clock,
    log,
    gatewayId,
    hosts: [],
    openedAt: [],
    lane: [],
    closed: [],
    reports: [],
  };
  const supervisor = new SessionSupervisor(
    {
      database: { ...database, run },
      clock,
      random: { ...seededRandom(), fraction: () => 1 },
      log,
      outbound: scriptedOutbound(() => {
        throw new Error("no request is expected");
      }),
      sealer: createSealer("a master key that is only used in tests", seededRandom()),
      newId: (prefix) => `${prefix}_${gatewayId}`,
      storeReport: async (report) => void it.reports.push(report),
      eventsRecorded: () => {},
      ...deps,
    },
    { id: gatewayId, identifier: "link", fence: 1, linked, callbackUrl: null, timeoutMs: 30_000, dkim: [] },
    { suspend: (reason) => it.lane.push(reason), resume: () => it.lane.push("resume") },
    async (host) => {
      const number = it.hosts.push(host);
      it.openedAt.push(clock.monotonic());
      return {
        send: async () => accepted,
        close: async () => void it.closed.push(number),
        ...(await open(host, number)),
      };
    },
  );
  const played = { ...it, supervisor, send: () => supervisor.send(message, new AbortController().signal) };
  running.push(played);
  await clock.settle();
  return played;
}

const connected = { kind: "connected" } as const;

test("the lane waits until the session is open and says that it is connected", async () => {
  const played = await play();
  assert.deepEqual(played.lane, [null, null]);
  assert.equal((await played.send()).kind, "deferred");
  played.hosts[0]!.status(connected);
  assert.deepEqual(played.lane, [null, null, "resume"]);
  assert.deepEqual(await played.send(), accepted);
});

test("connected before it has opened counts when it has", async () => {
  let opened: () => void = () => {};
  const played = await play({
    open: async (host) => {
      host.status(connected);
      await new Promise<void>((resolve) => {
        opened = resolve;
      });
      return {};
    },
  });
  assert.deepEqual(played.lane, [null]);
  opened();
  await played.clock.settle();
  assert.deepEqual(played.lane, [null, "resume"]);
});

test("a session that cannot be opened is tried after 1, 2, 4, … 60 s, and the lane says why it waits", async () => {
  const played = await play({
    open: (_, number) => {
      if (number <= 9) throw new Error("no route");
      return {};
    },
  });
  await played.clock.advance(400_000);
  const waits = played.openedAt.slice(1).map((at, i) => (at - played.openedAt[i]!) / 1000);
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  assert.ok(played.lane.includes("The session could not be opened; see the log."));
  assert.equal(played.lane.at(-1), null);
});

test("a message in flight when the connection goes is unknown after 5 s, unless the session knows better", async () => {
  const answers: ((outcome: Outcome) => void)[] = [];
  const played = await play({
    open: () => ({ send: () => new Promise((resolve) => answers.push(resolve)) }),
  });
  played.hosts[0]!.status(connected);
  const known = played.send();
  const unknown = played.send();
  played.hosts[0]!.status({ kind: "disconnected", reason: "The socket closed." });
  assert.deepEqual(played.lane.at(-1), "The socket closed.");
  const refused = await played.send();
  assert.deepEqual(
    [refused.kind, "gatewayFault" in refused && refused.gatewayFault],
    ["deferred", "unreachable"],
  );
  await played.clock.advance(4_999);
  answers[0]!({ kind: "deferred", code: "not_written", reason: "It was never written." });
  assert.equal((await known).kind, "deferred");
  await played.clock.advance(1);
  assert.equal((await unknown).kind, "unknown");
  played.hosts[0]!.status(connected);
  assert.equal(played.lane.at(-1), "resume");
});

test("a session that fails is closed and another one opened; what the first says later counts no more", async () => {
  const played = await play();
  const [first] = played.hosts;
  first!.status(connected);
  first!.fail("The bridge crashed.");
  assert.equal(played.lane.at(-1), "The bridge crashed.");
  assert.equal(first!.signal.aborted, true);
  await played.clock.settle();
  assert.deepEqual(played.closed, [1]);
  first!.status(connected);
  first!.fail("again");
  assert.notEqual(played.lane.at(-1), "resume");
  await played.clock.advance(1_000);
  assert.equal(played.hosts.length, 2);
  played.hosts[1]!.status(connected);
  assert.equal(played.lane.at(-1), "resume");
});

test("the back-off starts anew after a session that lasted a minute", async () => {
  const played = await play();
  for (let count = 0; count < 4; count += 1) {
    played.hosts.at(-1)!.fail("gone");
    await played.clock.advance(60_000);
  }
  await played.clock.advance(60_000);
  const before = played.hosts.length;
  played.hosts.at(-1)!.fail("gone");
  await played.clock.advance(999);
  assert.equal(played.hosts.length, before);
  await played.clock.advance(1);
  assert.equal(played.hosts.length, before + 1);
});

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

test("closing does not wait for a session that is still being opened, and closes it when it comes", async () => {
  let opened: () => void = () => {};
  const played = await play({
    open: () =>
      new Promise((resolve) => {
        opened = () => resolve({});
      }),
  });
  await played.supervisor.close();
  assert.deepEqual(played.closed, []);
  opened();
  await played.clock.settle();
  assert.deepEqual(played.closed, [1]);
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

test("of a linked gateway the state is stored, and what links it is sealed", async () => {
  const played = await play({ linked: true });
  const pairing = { qr: "2@linking-secret", expiresAt: played.clock.now() + 20_000 };
  played.hosts[0]!.status({ kind: "pairing", pairing });
  assert.equal(played.lane.at(-1), "A device has to be linked.");
  await played.clock.settle();
  const row = await database.run(readSession, played.gatewayId);
  assert.deepEqual([row?.status, row?.pairing_expires_at], ["pairing", pairing.expiresAt]);
  assert.equal(row?.pairing?.includes("linking-secret"), false);
  const sealer = createSealer("a master key that is only used in tests", seededRandom());
  assert.deepEqual(JSON.parse(sealer.unseal(row?.pairing ?? "", pairingContext(played.gatewayId))), pairing);
  played.hosts[0]!.status(connected);
  await played.clock.settle();
  assert.equal((await database.run(readSession, played.gatewayId))?.status, "connected");
});

test("without a linked device nothing of the state is stored", async () => {
  const played = await play();
  played.hosts[0]!.status(connected);
  await played.clock.settle();
  assert.equal(await database.run(readSession, played.gatewayId), null);
});

test("logging out is the session's to do", async () => {
  const without = await play();
  assert.equal(await without.supervisor.logOut(), null);
  const linked = await play({ open: () => ({ logOut: async () => true }) });
  assert.equal(await linked.supervisor.logOut(), true);
});

test("a child process ends with its session", async () => {
  const module = new URL("../../runtime/echo-child.ts", import.meta.url);
  const played = await play();
  const child = played.hosts[0]!.child(module);
  const answer = new Promise((resolve) => child.onMessage(resolve));
  child.send("hello");
  assert.equal(await answer, "hello");
  played.hosts[0]!.fail("restart");
  assert.match(await child.ended, /ended/);
});

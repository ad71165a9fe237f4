// The supervisor of a gateway's session: when the lane waits, when a session is opened again, and what is stored of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "#gateways/outcome.ts";
import { healthOf } from "#messaging/deliver/transmit.ts";
import { pairingContext, readSession } from "#store/gateways/sessions.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";
import { accepted, connected, database, message, play, playSessions } from "./played-session.ts";

playSessions();

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
  assert.equal(played.lane.at(-1), "The connection takes long to open.");
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
  const doubtful = await unknown;
  assert.equal(doubtful.kind, "unknown");
  // The next connection may be open by then, and is not at fault.
  assert.equal(healthOf(doubtful, "+15550001").health, "answering");
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

test("without a linked device the state is stored as well, and nothing of a link", async () => {
  const played = await play();
  played.hosts[0]!.status(connected);
  await played.clock.settle();
  const row = await database.run(readSession, played.gatewayId);
  assert.deepEqual([row?.status, row?.linked_at], ["connected", null]);
});

test("a connection that takes more than 30 s to open is a pause, and a shorter one is not", async () => {
  const played = await play({ open: () => new Promise(() => {}) });
  await played.clock.advance(29_999);
  assert.deepEqual(played.lane, [null]);
  await played.clock.advance(1);
  assert.deepEqual(played.lane, [null, "The connection takes long to open."]);
});

test("a session that ignores the end of the grace period leaves its messages unknown", async () => {
  const played = await play({ open: () => ({ send: () => new Promise(() => {}) }) });
  played.hosts[0]!.status(connected);
  const grace = new AbortController();
  const sending = played.supervisor.send(message, grace.signal);
  await played.clock.advance(60_000);
  grace.abort();
  await played.clock.advance(5_000);
  assert.equal((await sending).kind, "unknown");
});

test("logging out is the session's to do", async () => {
  const without = await play();
  assert.equal(await without.supervisor.logOut(), null);
  const linked = await play({ open: () => ({ logOut: async () => true }) });
  assert.equal(await linked.supervisor.logOut(), true);
});

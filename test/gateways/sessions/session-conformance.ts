// The suite that every gateway passes which holds a connection, over the whole system and a peer that speaks its protocol:
// messages wait without one, nothing is sent twice, no two connections are open at once, and no process but the owner of
// the lane writes the session's state.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { EngineName } from "../../harness.ts";
import { Place, type SessionPeer } from "./place.ts";

export function sessionConformance(gateway: GatewayAdapter, openPeer: () => Promise<SessionPeer>): void {
  const play = (
    name: string,
    run: (place: Place) => Promise<void>,
    { engine = "sqlite" }: { engine?: EngineName } = {},
  ) =>
    test(name, async (context) => {
      await run(await Place.open(context, gateway, await openPeer(), engine));
    });

  describe(`${gateway.kind}: sessions`, () => {
    play("it is connected before there is a message, and the message goes at once", async (place) => {
      const it = await place.start();
      await place.until(() => place.connected(), "connected");
      const id = await place.send("hello");
      await place.until(async () => (await it.message(id)).status === "sent", "sent");
      assert.deepEqual(place.peer.taken, ["hello"]);
      assert.equal((await place.shown()).session?.state, "connected");
      assert.match(await it.system.core.metrics.text(), /^trunkline_gateway_connected\{gateway="link"\} 1$/m);
    });

    play("without a connection messages wait, without tries, and the gateway says why", async (place) => {
      place.peer.refuse();
      const it = await place.start();
      const id = await place.send("later");
      await place.until(async () => (await place.shown()).state === "paused", "paused");
      for (let minutes = 0; minutes < 5; minutes += 1) await place.pass(60_000);
      const waiting = await it.message(id);
      assert.deepEqual([waiting.status, waiting.attempts, place.peer.taken], ["queued", 0, []]);
      const { pause, session } = await place.shown();
      assert.notEqual(session?.state, "connected");
      assert.ok(pause !== null && pause.until === null && pause.reason !== "");
      const log = it.log.text();
      for (const secret of place.peer.secrets) {
        assert.ok(!JSON.stringify(await place.shown()).includes(secret));
        assert.ok(!log.includes(secret));
      }
      place.peer.allow();
      await place.until(async () => {
        await place.pass(1_000);
        return (await it.message(id)).status === "sent";
      }, "sent");
      assert.equal((await it.message(id)).attempts, 1);
      assert.deepEqual(place.events("gateway.paused", "gateway.resumed"), [
        "gateway.paused",
        "gateway.resumed",
      ]);
    });

    play(
      "what is in flight at a disconnect is unknown and never repeated; the next message goes",
      async (place) => {
        const it = await place.start();
        await place.until(() => place.connected(), "connected");
        place.peer.hold();
        const ids = [await place.send("one"), await place.send("two"), await place.send("three")];
        await place.until(() => place.peer.taken.length === 3, "taken");
        place.peer.drop();
        await place.until(() => !place.connected(), "dropped");
        await place.untilLater(async () => (await it.message(ids[0] ?? "")).status === "unknown", "unknown");
        for (const id of ids) assert.equal((await it.message(id)).status, "unknown");
        place.peer.answer();
        await place.untilLater(() => place.connected(), "connected again");
        const next = await place.send("four");
        await place.until(async () => (await it.message(next)).status === "sent", "sent without a pause");
        assert.deepEqual(place.peer.taken, ["one", "two", "three", "four"]);
        assert.deepEqual([place.peer.maxAtOnce(), place.peer.staleStates()], [1, 0]);
      },
    );

    play("stopping waits for what is in flight, and then closes the connection", async (place) => {
      const it = await place.start();
      await place.until(() => place.connected(), "connected");
      place.peer.hold();
      const id = await place.send("last words");
      await place.until(() => place.peer.taken.length === 1, "taken");
      const stopping = it.system.lanes.stop(30_000);
      await place.pass(5_000);
      assert.equal(place.peer.connections(), 1);
      place.peer.answer();
      await place.finish(stopping);
      assert.equal((await it.message(id)).status, "sent");
      await place.until(() => place.peer.connections() === 0, "closed");
    });

    play("what has no answer when the grace is over is unknown", async (place) => {
      const it = await place.start();
      await place.until(() => place.connected(), "connected");
      place.peer.hold();
      const id = await place.send("no answer");
      await place.until(() => place.peer.taken.length === 1, "taken");
      await place.finish(it.system.lanes.stop(30_000));
      assert.equal((await it.message(id)).status, "unknown");
      await place.until(() => place.peer.connections() === 0, "closed");
    });

    play("a report is acknowledged when it is stored, and not before", async (place) => {
      const it = await place.start();
      await place.until(() => place.connected(), "connected");
      const id = await place.send("delivered?");
      await place.until(async () => (await it.message(id)).status === "sent", "sent");
      it.storageFault("unavailable");
      place.peer.deliver("delivered?");
      await place.pass(3_000);
      assert.equal(place.peer.acknowledged("delivered?"), false);
      it.storageFault(null);
      await place.untilLater(() => place.peer.acknowledged("delivered?"), "acknowledged");
      assert.equal((await it.message(id)).status, "delivered");
    });

    play("changed settings close the session before another one is opened", async (place) => {
      const it = await place.start();
      await place.until(() => place.connected(), "connected");
      const other = await openPeer();
      try {
        await it.gateway({ ...place.gateway, settings: other.settings, pace: { concurrency: 2 } });
        await place.untilLater(() => place.peer.connections() === 0, "left the first peer");
        await it.gateway({ ...place.gateway, settings: place.peer.settings });
        await place.untilLater(() => place.connected(), "came back");
        const id = await place.send("again");
        await place.until(async () => (await it.message(id)).status === "sent", "sent");
        assert.deepEqual([place.peer.maxAtOnce(), place.peer.staleStates()], [1, 0]);
      } finally {
        await other.close();
      }
    });

    play("a gateway that is switched off has no connection", async (place) => {
      const it = await place.start();
      await place.until(() => place.connected(), "connected");
      await it.gateway({ ...place.gateway, active: false });
      await place.untilLater(() => place.peer.connections() === 0, "closed");
      assert.equal((await place.shown()).session, null);
      assert.doesNotMatch(await it.system.core.metrics.text(), /trunkline_gateway_connected\{/);
    });

    const onPostgres = { engine: "postgres" } as const;
    play(
      "another process takes over after a clean stop, with the state, and never beside the first",
      async (place) => {
        const one = await place.start();
        await place.until(() => place.connected(), "connected");
        const two = await place.start();
        await place.finish(one.system.lanes.stop(30_000));
        await place.untilLater(() => place.connected(), "taken over");
        const id = await place.send("by the second", two);
        await place.until(async () => (await two.message(id)).status === "sent", "sent");
        assert.deepEqual([place.peer.maxAtOnce(), place.peer.staleStates()], [1, 0]);
      },
      onPostgres,
    );

    play(
      "another process takes over from one that died: what was in flight is unknown, the rest goes",
      async (place) => {
        const one = await place.start();
        await place.until(() => place.connected(), "connected");
        const two = await place.start();
        place.peer.hold();
        const doubtful = await place.send("in flight", one);
        await place.until(() => place.peer.taken.length === 1, "taken");
        await one.kill();
        // The operating system closes the sockets of a dead process.
        place.peer.drop();
        place.peer.answer();
        const waiting = await place.send("waiting", two);
        await place.untilLater(async () => (await two.message(waiting)).status === "sent", "sent");
        assert.equal((await two.message(doubtful)).status, "unknown");
        assert.deepEqual(place.peer.taken, ["in flight", "waiting"]);
        assert.equal(place.peer.staleStates(), 0);
      },
      onPostgres,
    );

    play(
      "a process that was frozen past its takeover writes no state, and closes its session",
      async (place) => {
        const frozen = await place.start({ clock: movableClock() });
        await place.until(() => place.connected(), "connected");
        const two = await place.start();
        // Only the second one's clock moves: the first sends no heartbeat.
        await place.untilLater(() => place.peer.maxAtOnce() === 2, "taken over");
        place.peer.changeState();
        await place.until(async () => {
          await frozen.settle();
          return place.peer.connections() === 1;
        }, "the first has noticed");
        const id = await place.send("by the second", two);
        await place.until(async () => (await two.message(id)).status === "sent", "sent");
        // What the second one keeps is what the peer gave it last.
        place.peer.drop();
        await place.untilLater(() => place.connected(), "connected again");
        assert.equal(place.peer.staleStates(), 0);
        assert.deepEqual(place.peer.taken, ["by the second"]);
      },
      onPostgres,
    );

    if (gateway.connection === "linked") {
      play("the beginning and the end of a link are events; a reconnection is no event", async (place) => {
        const it = await place.start();
        await place.until(() => place.connected(), "connected");
        place.peer.drop();
        await place.until(() => !place.connected(), "dropped");
        await place.untilLater(() => place.connected(), "connected again");
        place.peer.endLink?.("It was removed on the phone.");
        await place.until(async () => (await place.shown()).session?.state === "logged_out", "logged out");
        const id = await place.send("to no one");
        await place.pass(120_000);
        assert.deepEqual([(await it.message(id)).attempts, place.peer.connections()], [0, 0]);
        const { session, pause } = await place.shown();
        assert.match(pause?.reason ?? "", /removed on the phone/);
        assert.equal(session?.linked_at, null);
        assert.deepEqual(place.events("gateway.linked", "gateway.unlinked"), [
          "gateway.linked",
          "gateway.unlinked",
        ]);
      });

      play("a session whose process dies is opened again", async (place) => {
        const it = await place.start();
        await place.until(() => place.connected(), "connected");
        place.peer.hold();
        const doubtful = await place.send("in flight");
        await place.until(() => place.peer.taken.length === 1, "taken");
        place.peer.crash?.();
        await place.until(() => !place.connected(), "crashed");
        await place.untilLater(async () => (await it.message(doubtful)).status === "unknown", "unknown");
        place.peer.answer();
        await place.untilLater(() => place.connected(), "connected again");
        const id = await place.send("after it");
        await place.until(async () => (await it.message(id)).status === "sent", "sent");
        assert.deepEqual(place.peer.taken, ["in flight", "after it"]);
      });
    }
  });
}

// The hold seen from outside: a restored installation sends nothing of the past until it is asked to, tells so at
// its start, and everything else goes on.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cancelAllHeld, currentHold, holdAllPending, releaseAllHeld } from "#maintenance/restore-hold.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { type EngineName, ground, type Harness, harness, someEngines } from "../harness.ts";
import { asked, provider, takes } from "../scenarios/provider.ts";

const hour = 3_600_000;
const contact = (i: number) => ({ number: `+49151234${10_000 + i}`, message: "Hi" });

/** An installation that was stopped with messages waiting, held, and started again. */
async function restored(
  engine: EngineName,
  body: (two: Harness, ids: string[], deps: Parameters<typeof releaseAllHeld>[0]) => Promise<void>,
) {
  const own = await ground(engine);
  const clock = movableClock();
  const one = await harness({ ground: own, clock, respond: takes, started: false });
  let two: Harness | null = null;
  try {
    const account = await one.account({ plan: { name: "basic", credit: { sms: 10 } } });
    await one.gateway({ identifier: "main", ...provider });
    const ids = await one.accepted([
      contact(1),
      contact(2),
      { ...contact(3), schedule_at: "2026-01-01 02:00:00" },
    ]);
    await one.kill();
    const stopped = await own.open();
    assert.equal((await holdAllPending({ database: stopped, clock }))?.messages, 3);
    await stopped.close();
    two = await harness({ ground: own, clock, respond: takes });
    two.as(account);
    await body(two, ids, { database: two.system.database, clock });
  } finally {
    await two?.close();
    await one.close();
    await own.remove();
  }
}

for (const engine of someEngines(import.meta.filename)) {
  describe(engine, () => {
    test("held: nothing leaves, records say that it waits, new sends flow, and the log and readiness say so", () =>
      restored(engine, async (it, ids) => {
        await it.advance(5 * hour);
        assert.equal(it.requests.length, 0);
        const record = await it.message(ids[2]!);
        assert.deepEqual([record.status, record.next_attempt_at], ["scheduled", null]);
        const [warning] = it.log.lines().filter(({ msg }) => msg.includes("restored"));
        assert.equal(warning?.level, "warn");
        assert.equal(warning?.messages, 3);
        assert.equal((await it.get("/health/ready")).statusCode, 200);
        const [fresh] = await it.accepted([contact(4)]);
        await it.settle();
        assert.deepEqual(
          asked(it).map(({ id }) => id),
          [fresh],
        );
      }));

    test("released: the held ones leave once each, at their time", () =>
      restored(engine, async (it, ids, deps) => {
        await it.advance(hour);
        assert.deepEqual(await releaseAllHeld(deps), { messages: 3, deliveries: 0, events: 0 });
        await it.settle();
        assert.deepEqual(
          asked(it)
            .map(({ id }) => id)
            .sort(),
          ids.slice(0, 2).sort(),
        );
        await it.advance(hour);
        assert.deepEqual(
          asked(it)
            .map(({ id }) => id)
            .sort(),
          [...ids].sort(),
        );
        assert.equal(await currentHold(deps.database), null);
        assert.deepEqual(await releaseAllHeld(deps), { messages: 0, deliveries: 0, events: 0 });
        await it.advance(hour);
        assert.equal(it.requests.length, 3);
      }));

    test("released too late: they expire instead of surprising people", () =>
      restored(engine, async (it, ids, deps) => {
        await it.advance(80 * hour);
        await releaseAllHeld(deps);
        await it.advance(hour);
        assert.equal(it.requests.length, 0);
        for (const id of ids) assert.equal((await it.message(id)).error?.code, "too_late");
      }));

    test("cancelled: nothing leaves, and the credit is back", () =>
      restored(engine, async (it, ids, deps) => {
        assert.equal((await cancelAllHeld(deps)).messages, 3);
        await it.advance(5 * hour);
        assert.equal(it.requests.length, 0);
        for (const id of ids) assert.equal((await it.message(id)).status, "cancelled");
        const { data } = (await it.get("/api/account")).json();
        assert.deepEqual(data.credit.sms, { allowance: 10, remaining: 10 });
      }));

    test("one of them can be cancelled through the API; without any left, the hold ends by itself", () =>
      restored(engine, async (it, ids, deps) => {
        for (const id of ids) assert.equal((await it.post(`/api/cancel/sms/${id}`)).statusCode, 200);
        assert.equal((await currentHold(deps.database))?.messages, 0);
        await it.advance(hour);
        assert.equal(await currentHold(deps.database), null);
      }));
  });
}

// The lane of a pool's deferred completions: through an outage, a schedule, a crash; told once by a webhook.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { listPoolKeys, revokePoolKey } from "#store/pools/keys.ts";
import { readPoolStatistics } from "#store/pools/pool-statistics.ts";
import { ground, type Harness, harness, someEngines } from "../../harness.ts";
import { says } from "../../scenarios/receiver.ts";
import { ask, keyText, makePool } from "../pooled.ts";
import { at, defer, events, hour, lookUp, second, start } from "./story.ts";

test("a schedule by the account's clock is waited for, and can be cancelled before it", async () => {
  const { it } = await start();
  try {
    // It is 01:00 in Berlin.
    const headers = { "x-trunkline-schedule-at": "2026-01-01 03:30:00" };
    const [first, second] = [
      (await defer(it, "echo", headers)).json(),
      (await defer(it, "echo", headers)).json(),
    ];
    assert.equal(first.scheduled_for, "2026-01-01T02:30:00.000Z");
    assert.equal(first.expires_at, "2026-01-02T02:30:00.000Z");
    await it.advance(2 * hour);
    assert.equal((await lookUp(it, first.id)).status, "queued");
    const cancelled = await at(it, "POST", `${second.id}/cancel`);
    assert.deepEqual([cancelled.statusCode, cancelled.json().status], [200, "cancelled"]);
    await it.advance(hour / 2);
    assert.equal((await lookUp(it, first.id)).status, "completed");
    const after = await lookUp(it, second.id);
    assert.deepEqual([after.status, after.attempts, after.response], ["cancelled", 0, null]);
    assert.deepEqual(
      events(it)
        .map(({ data }) => (data as { status: string }).status)
        .sort(),
      ["cancelled", "completed"],
    );
  } finally {
    await it.close();
  }
});

test("an outage is waited out with growing pauses, until the completion expires", async () => {
  const { it } = await start();
  try {
    const { id } = (await defer(it, "failing")).json();
    await it.settle();
    const waiting = await lookUp(it, id);
    assert.deepEqual([waiting.status, waiting.attempts], ["queued", 1]);
    await it.advance(17 * second);
    assert.equal((await lookUp(it, id)).attempts, 2);
    await it.advance(24 * hour);
    const failed = await lookUp(it, id);
    assert.equal(failed.status, "failed");
    assert.ok(failed.attempts > 90 && failed.attempts <= 110, `${failed.attempts}`);
    assert.deepEqual(Object.keys(failed.error), ["message", "type", "param", "code"]);
    assert.equal(events(it).length, 1);
    // A week later nothing is left of it.
    await it.advance(8 * 24 * hour);
    assert.equal((await at(it, "GET", id)).statusCode, 404);
  } finally {
    await it.close();
  }
});

test("a limit that a queued completion waits for is no refused call", async () => {
  const { it, accountId, pool } = await start();
  try {
    const keys = [{ name: "app", key: keyText, limits: { requests_per_minute: 2 } }];
    await makePool(it, { keys }, accountId);
    assert.equal((await ask(it)).statusCode, 200);
    const { id } = (await defer(it)).json();
    await it.settle();
    const waiting = await lookUp(it, id);
    assert.deepEqual([waiting.status, waiting.attempts], ["queued", 1]);
    assert.equal((await ask(it)).statusCode, 429);
    assert.equal((await defer(it)).statusCode, 429, "its client sees that one");
    await it.advance(2 * second);
    const hours = ["2000", "2999"] as const;
    const asked = { poolId: pool.poolId, hours, step: "day", split: "none" } as const;
    const points = await it.system.database.run(readPoolStatistics, asked);
    assert.deepEqual(
      points.map(({ refused }) => refused.requests),
      [2],
    );
  } finally {
    await it.close();
  }
});

test("what the caller has to change ends it at once; so does a key that was revoked meanwhile", async () => {
  const { it, accountId, pool } = await start();
  try {
    await makePool(it, { strict_models: true }, accountId);
    const refused = (await defer(it, "no-such-model")).json();
    await it.settle();
    const failed = await lookUp(it, refused.id);
    assert.deepEqual([failed.status, failed.attempts, failed.error.code], ["failed", 1, "model_not_found"]);
    const later = { "x-trunkline-schedule-at": "2026-01-01 02:00:00" };
    assert.equal((await defer(it, "echo", later)).statusCode, 202);
    const [key] = await it.system.database.run(listPoolKeys, { ...pool, before: null, limit: 1 });
    await it.system.database.run(revokePoolKey, { ...pool, id: key!.id, at: it.clock.now() });
    await it.advance(2 * hour);
    const ends = events(it).map(({ data }) => (data as { error: string }).error);
    assert.deepEqual(ends, ["model_not_found", "invalid_api_key"]);
  } finally {
    await it.close();
  }
});

for (const engine of someEngines(import.meta.filename))
  describe(`a crash on ${engine}`, () => {
    for (const dieAt of ["deferred.before", "deferred.after"])
      test(`at ${dieAt}: the next process asks again, and one end is reported`, async () => {
        const own = await ground(engine);
        const clock = movableClock();
        const settings = { heartbeatMs: 5_000, takeoverMs: 45_000, pollMs: 60_000 };
        const shared = { ground: own, clock, settings };
        const { it: one } = await start({ ...shared, dieAt });
        let two: Harness | null = null;
        try {
          const { id } = (await defer(one)).json();
          await one.settle();
          assert.ok(one.dead());
          await one.kill();
          two = await harness({ ...shared, respond: () => says(200) });
          await two.advance(120_000);
          const done = await lookUp(two, id);
          assert.deepEqual([done.status, done.attempts], ["completed", 2]);
          assert.equal(events(one, two).length, 1);
        } finally {
          await two?.close();
          await one.close();
          await own.remove();
        }
      });
  });

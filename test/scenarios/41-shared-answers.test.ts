// Answers that serve more than one request, over processes: after a crash, and with two on one PostgreSQL.

import assert from "node:assert/strict";
import test from "node:test";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { callsOf, keyText, makePool, type PoolOf } from "../ai/pooled.ts";
import { type EngineName, type Ground, ground, type Harness, harness, someEngines } from "../harness.ts";
import { inject } from "../inject.ts";

const ask = (it: Harness, body: object = {}, key?: string) =>
  inject(it.system.app, {
    method: "POST",
    url: "/api/ai/v1/chat/completions",
    headers: { authorization: `Bearer ${keyText}`, ...(key === undefined ? {} : { "idempotency-key": key }) },
    payload: { model: "echo", messages: [{ role: "user", content: "hello there" }], ...body },
  });

type Start = () => Promise<Harness>;

/** A pool with a cache, and processes on its database by one clock. */
async function story(
  engine: EngineName,
  tell: (start: Start, of: PoolOf, clock: MovableClock, first: Harness) => Promise<void>,
): Promise<void> {
  const own: Ground = await ground(engine);
  const clock = movableClock();
  const processes: Harness[] = [];
  const start = async () => {
    const it = await harness({ ground: own, clock });
    processes.push(it);
    return it;
  };
  try {
    const first = await start();
    await tell(start, await makePool(first, { cache: { ttl_s: 3_600 } }), clock, first);
  } finally {
    for (const process of processes) if (!process.dead()) await process.close();
    await own.remove();
  }
}

/** How the calls were answered, the newest first. */
const reusedIn = async (it: Harness, of: PoolOf) =>
  (await callsOf(it, of)).map(({ reused, attempts, member, cost, prompt_tokens: tokens }) =>
    reused === null
      ? `${member} ${JSON.parse(attempts).length}`
      : `${reused} ${member} ${attempts} ${cost} ${tokens}`,
  );

for (const engine of someEngines(import.meta.filename)) {
  test(`an answer under an Idempotency-Key outlives its process, on ${engine}`, () =>
    story(engine, async (start, of, _clock, first) => {
      const whole = await ask(first, {}, "one");
      assert.equal(whole.statusCode, 200);
      await first.advance(2_000);
      await first.kill();
      const next = await start();
      const again = await ask(next, {}, "one");
      assert.equal(again.headers["idempotent-replayed"], "true");
      assert.equal(again.body, whole.body);
      assert.equal((await ask(next, { seed: 1 }, "one")).statusCode, 422);
      await next.advance(2_000);
      const reused = "idempotency_key null [] 0 0";
      assert.deepEqual(await reusedIn(next, of), ["null 0", reused, "main 1"]);
      await next.advance(25 * 3_600_000);
      assert.equal((await ask(next, {}, "one")).headers["idempotent-replayed"], undefined);
    }));

  test(`a call whose process died is asked again, on ${engine}`, () =>
    story(engine, async (start, of, clock, first) => {
      void ask(first, { model: "slow" }, "one");
      await clock.settle();
      await first.kill();
      const next = await start();
      const again = ask(next, { model: "slow" }, "one");
      await clock.advance(120_000);
      const reply = await again;
      assert.equal(reply.statusCode, 200);
      assert.equal(reply.headers["idempotent-replayed"], undefined);
      assert.deepEqual(await reusedIn(next, of), ["main 1"]);
    }));
}

test("equal requests to two processes at once are one call, and both have its answer afterwards", () =>
  story("postgres", async (start, of, clock, first) => {
    const second = await start();
    const asking = [
      ask(first, { model: "slow" }),
      ask(second, { model: "slow" }),
      ask(second, { model: "slow", seed: 1 }, "one"),
      ask(first, { model: "slow", seed: 1 }, "one"),
    ];
    await clock.advance(60_000);
    const [whole, same, keyed, sameKeyed] = await Promise.all(asking);
    assert.equal(whole?.statusCode, 200);
    assert.equal(whole?.body, same?.body);
    assert.equal(keyed?.body, sameKeyed?.body);
    assert.notEqual(keyed?.body, whole?.body);
    for (const it of [first, second]) {
      const later = await ask(it, { model: "slow" });
      assert.deepEqual([later.headers["x-service-pool-cache"], later.body], ["hit", whole?.body]);
    }
    await clock.advance(2_000);
    const asked = (await reusedIn(first, of)).filter((how) => how === "main 1");
    assert.equal(asked.length, 2);
  }));

// Slots of calls that several processes count together. With a real PostgreSQL: test/scenarios/28-ai-limits.

import assert from "node:assert/strict";
import test from "node:test";
import { createSharedMeters, type SharedMetersDeps } from "#ai/limits/shared-meters.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { admitCalls, endCalls, renewSlots } from "#store/pools/key-limits.ts";
import { poolKey } from "../pools/pool-keys.ts";

const levels = { requests: null, tokens: null };

/** Meters over a storage that answers admissions with `answers`, the last one for good. */
function metered(answers: readonly ("admitted" | "concurrency")[]) {
  const clock = movableClock();
  const asked: string[] = [];
  const left = [...answers];
  const ending = Promise.withResolvers<void>();
  const run = async (operation: unknown, input: { slots?: { slot: string }[]; slot?: string }) => {
    if (operation === renewSlots) asked.push(`renew ${input.slots?.map(({ slot }) => slot).join(" ")}`);
    if (operation === endCalls) {
      asked.push(`end ${input.slot}`);
      await ending.promise;
    }
    if (operation !== admitCalls) return;
    asked.push(`admit ${input.slot}`);
    const answer = left.length > 1 ? left.shift() : left[0];
    return answer === "admitted" ? { kind: answer, levels } : { kind: "refused", by: answer, levels };
  };
  const stopping = new AbortController();
  const deps = { clock, database: { run }, log: { warn() {} }, takeoverMs: 3_000 };
  const meters = createSharedMeters(deps as unknown as SharedMetersDeps, stopping.signal);
  return { clock, asked, ending, stopping, meters };
}

test("the slots of calls under way are renewed at a third of their lease, and only those", async () => {
  const { clock, asked, ending, meters, stopping } = metered(["admitted"]);
  await meters.admit(poolKey(), "a", 1);
  await meters.admit(poolKey(), "b", 1);
  await clock.advance(1_000);
  assert.deepEqual(asked.splice(0), ["admit a", "admit b", "renew a b"]);
  ending.resolve();
  await meters.end(poolKey(), "a", 1, 1);
  await clock.advance(1_000);
  assert.deepEqual(asked.splice(0), ["end a", "renew b"]);
  stopping.abort();
  await meters.ended();
  await clock.advance(5_000);
  assert.deepEqual(asked, []);
});

test("a call that comes while the last one's slot is being freed waits for that, and is asked once more", async () => {
  const { asked, ending, meters } = metered(["admitted", "concurrency", "admitted"]);
  const key = poolKey();
  await meters.admit(key, "a", 1);
  const ended = meters.end(key, "a", 1, 1);
  const next = meters.admit(key, "b", 1);
  ending.resolve();
  await ended;
  assert.equal((await next).kind, "admitted");
  assert.deepEqual(asked, ["admit a", "end a", "admit b", "admit b"]);
});

test("where no slot is being freed, a refusal is final", async () => {
  const { asked, meters } = metered(["concurrency"]);
  assert.equal((await meters.admit(poolKey(), "a", 1)).kind, "refused");
  assert.deepEqual(asked, ["admit a"]);
});

// What a key has left of its day and month: tokens and cost, by local days, with what was served a moment ago
// counted even where it is not written yet, and with a storage that is away.

import assert from "node:assert/strict";
import test from "node:test";
import { createBudgets, type LowNotice, type Spend } from "#ai/limits/budget.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { memoryLog } from "../../log.ts";
import { budgetOf, poolKey } from "../pools/pool-keys.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 30, 22, 30);
const day = "2026-01-30";

function budgets() {
  const clock = movableClock(start);
  const stored: Spend = { tokensToday: 0, tokensThisMonth: 0, costThisMonth: 0 };
  const reads: string[] = [];
  const lows: LowNotice[] = [];
  const storage = { away: false, wait: null as Promise<void> | null };
  const made = createBudgets({
    clock,
    log: memoryLog(),
    low: (notice) => lows.push(notice),
    read: async ({ id }, of) => {
      reads.push(`${id} ${of}`);
      const seen = { ...stored };
      await storage.wait;
      if (storage.away) throw new Error("away");
      return seen;
    },
  });
  const left = async (key: ReturnType<typeof poolKey>) => await made.exhaustedForMs(key, clock.now());
  return { made, clock, stored, reads, lows, storage, left };
}

const daily = poolKey({ budget: { tokens_per_day: 100, tokens_per_month: null, cost_per_month: null } });
const monthly = poolKey({ budget: { tokens_per_day: null, tokens_per_month: 100, cost_per_month: null } });
const costly = poolKey({ budget: { tokens_per_day: null, tokens_per_month: null, cost_per_month: 5 } });

test("a key without a budget is never looked up", async () => {
  const { left, reads } = budgets();
  assert.equal(await left(poolKey()), null);
  assert.deepEqual(reads, []);
});

test("a spent day is over at local midnight, a spent month or cost on the local first", async () => {
  const { left, stored, clock, made } = budgets();
  assert.equal(await left(daily), null);
  stored.tokensToday = stored.tokensThisMonth = 100;
  await clock.advance(5_001);
  // 23:30:05 in Berlin.
  assert.equal(await left(daily), 30 * 60_000 - 5_001);
  stored.tokensToday = 0;
  await clock.advance(30 * 60_000);
  assert.equal(await left(daily), null);
  assert.equal(await left(monthly), 24 * hour - 5_001);
  const other = budgets();
  other.stored.costThisMonth = 4_999_999;
  assert.equal(await other.left(costly), null);
  other.made.addCall(costly, { day, tokens: 0, cost: 1 });
  assert.equal(await other.left(costly), 24.5 * hour);
  assert.equal(made.addCall(poolKey({ id: "key_unknown" }), { day, tokens: 1, cost: 1 }), undefined);
});

test("what was served counts at once, though it is not written, however often it is read; once written, it counts once", async () => {
  const { left, made, stored, clock, reads } = budgets();
  assert.equal(await left(daily), null);
  made.addCall(daily, { day, tokens: 60, cost: 0 });
  made.addCall(daily, { day, tokens: 40, cost: 0 });
  assert.notEqual(await left(daily), null);
  await clock.advance(6_000);
  assert.notEqual(await left(daily), null, "not written yet");
  stored.tokensToday = 60;
  made.callWritten([daily.id], { day, tokens: 60, cost: 0 });
  await clock.advance(6_000);
  assert.notEqual(await left(daily), null, "half of it written");
  stored.tokensToday = 99;
  made.callWritten([daily.id], { day, tokens: 40, cost: 0 });
  await clock.advance(6_000);
  assert.equal(await left(daily), null, "as the storage says: 99");
  assert.equal(reads.length, 4);
});

test("a call that ends while it is read counts; many at once read once", async () => {
  const { left, made, storage, reads } = budgets();
  let go = () => {};
  storage.wait = new Promise((resolve) => {
    go = resolve;
  });
  const asked = [left(daily), left(daily), left(daily)];
  made.addCall(daily, { day, tokens: 100, cost: 0 });
  go();
  const waits = await Promise.all(asked);
  assert.ok(
    waits.every((wait) => wait !== null),
    JSON.stringify(waits),
  );
  assert.equal(reads.length, 1);
});

test("with the storage away what is known goes on, over midnight and the first too, and it is not asked every time", async () => {
  const { left, made, storage, clock, reads } = budgets();
  storage.away = true;
  assert.equal(await left(daily), null);
  made.addCall(daily, { day, tokens: 100, cost: 0 });
  assert.notEqual(await left(daily), null);
  assert.equal(reads.length, 1);
  assert.equal(await left(poolKey({ ...monthly, id: daily.id })), 24.5 * hour);
  await clock.advance(hour);
  assert.equal(await left(daily), null, "another day");
  assert.notEqual(await left(poolKey({ ...monthly, id: daily.id })), null, "the same month");
  await clock.advance(24 * hour);
  assert.equal(await left(poolKey({ ...monthly, id: daily.id })), null, "another month");
  // It began before midnight and ended after it: of the day of its start.
  made.addCall(daily, { day: "2026-01-31", tokens: 100, cost: 0 });
  assert.equal(await left(daily), null);
});

test("a storage that hangs holds no call up for more than 2 s, and once; what is known goes on until it answers", async () => {
  const { left, stored, clock, made, storage, reads } = budgets();
  assert.equal(await left(daily), null);
  stored.tokensToday = stored.tokensThisMonth = 100;
  let answer: () => void = () => {};
  storage.wait = new Promise((resolve) => {
    answer = resolve;
  });
  await clock.advance(5_001);
  let admitted: number | null | undefined;
  const waiting = left(daily).then((one) => {
    admitted = one;
  });
  await clock.advance(1_999);
  assert.equal(admitted, undefined);
  await clock.advance(1);
  await waiting;
  assert.equal(admitted, null);
  await clock.advance(60_000);
  assert.equal(await left(daily), null);
  made.addCall(daily, { day, tokens: 100, cost: 0 });
  assert.ok((await left(daily))! > 0, "what this process served counts meanwhile");
  assert.equal(reads.length, 2);
  answer();
  await clock.settle();
  assert.ok((await left(daily))! > 0);
});

test("a call counts for every budget, and waits for the one that is available last", async () => {
  const { left, made, clock } = budgets();
  const shared = [
    budgetOf("pool_1", { tokens_per_day: 50 }, "pool"),
    budgetOf("acc_1", { tokens_per_month: 80 }, "account"),
  ];
  const key = poolKey({ budget: { tokens_per_day: 100 }, shared });
  const other = poolKey({ id: "key_2", shared });
  assert.deepEqual([await left(key), await left(other)], [null, null]);
  made.addCall(key, { day, tokens: 50, cost: 0 });
  assert.equal(await left(other), 30 * 60_000, "the pool's day");
  made.addCall(other, { day, tokens: 30, cost: 0 });
  assert.equal(await left(key), 24.5 * hour, "the account's month");
  made.callWritten(["key_1", "pool_1", "acc_1"], { day, tokens: 80, cost: 0 });
  await clock.advance(6_000);
  assert.equal(await left(key), null, "as the storage says: nothing");
});

test("each bound is announced once a period, when its share is used", async () => {
  const { left, made, lows, clock } = budgets();
  const bounds = { tokens_per_day: 100, tokens_per_month: 200, cost_per_month: 0.001, low_percent: 80 };
  const key = poolKey({ shared: [budgetOf("pool_1", bounds, "pool")] });
  await left(key);
  made.addCall(key, { day, tokens: 79, cost: 0 });
  assert.deepEqual(lows, []);
  for (const tokens of [1, 5]) made.addCall(key, { day, tokens, cost: 0 });
  const reported = () => lows.splice(0).map(({ bound, period, used, limit }) => [bound, period, used, limit]);
  assert.deepEqual(reported(), [["tokens_per_day", day, 80, 100]]);
  made.addCall(key, { day, tokens: 75, cost: 900 });
  assert.deepEqual(reported(), [
    ["tokens_per_month", "2026-01", 160, 200],
    ["cost_per_month", "2026-01", 900, 1_000],
  ]);
  await clock.advance(hour);
  await left(key);
  made.addCall(key, { day: "2026-01-31", tokens: 90, cost: 0 });
  assert.deepEqual(reported(), [["tokens_per_day", "2026-01-31", 90, 100]], "a new day");
  const silent = poolKey({ shared: [budgetOf("pool_2", { ...bounds, low_percent: null }, "pool")] });
  await left(silent);
  made.addCall(silent, { day: "2026-01-31", tokens: 99, cost: 0 });
  assert.deepEqual(reported(), []);
});

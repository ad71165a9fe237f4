// Limits that several processes share: exact with any number of them, the same rules as within one process, and a
// place that a dead process held is free again.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { KeyMeter } from "#ai/limits/limits.ts";
import type { KeyRules } from "#contract/manage/pools/keys.ts";
import {
  admitCalls,
  type CallToAdmit,
  endCalls,
  readKeyLevels,
  renewSlots,
} from "#store/pools/key-limits.ts";
import { revokePoolKey } from "#store/pools/keys.ts";
import { removePool } from "#store/pools/pools.ts";
import { onBothEngines } from "../conformance.ts";
import { makePool } from "../pool-rows.ts";
import { fresh, now } from "../rows.ts";

const unlimited: KeyRules["limits"] = {
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrency: null,
};

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);
  const keyOf = async () => (await makePool(open().database)).keyId;
  const call = (
    keyId: string,
    limits: Partial<KeyRules["limits"]>,
    more: Partial<CallToAdmit> = {},
  ): CallToAdmit => ({
    keyId,
    limits: { ...unlimited, ...limits },
    tokens: 0,
    slot: fresh("slot"),
    until: now + 60_000,
    now,
    ...more,
  });

  for (const [name, limits, tokens] of [
    ["40 requests a minute", { requests_per_minute: 40 }, 0],
    ["40 at once", { concurrency: 40 }, 0],
    ["4,000 tokens a minute, 100 each", { tokens_per_minute: 4_000 }, 100],
  ] as const) {
    test(`100 at the same instant in two processes, ${name}: exactly 40`, async () => {
      const keyId = await keyOf();
      const admissions = await Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          (at % 2 === 0 ? open().database : open().other).run(admitCalls, call(keyId, limits, { tokens })),
        ),
      );
      assert.equal(admissions.filter(({ kind }) => kind === "admitted").length, 40);
      const refused = admissions.find((one) => one.kind === "refused");
      assert.ok(refused?.kind === "refused" && refused.retryAfterMs > 0);
    });
  }

  test("what is admitted, refused and left is what one process would say", async () => {
    // A step is a multiple of what gives whole requests and tokens, so that both reckon without fractions.
    const stepMs = 6_000;
    const limit = (...values: number[]) => fc.constantFrom(null, ...values);
    const limits = fc.record({
      requests_per_minute: limit(10, 30),
      tokens_per_minute: limit(100, 200),
      concurrency: limit(2, 4),
    });
    const step = fc.oneof(
      fc.record({ kind: fc.constant("ask" as const), tokens: fc.integer({ min: 0, max: 300 }) }),
      fc.record({ kind: fc.constant("end" as const), used: fc.integer({ min: 0, max: 150 }) }),
      fc.record({ kind: fc.constant("wait" as const), steps: fc.integer({ min: -1, max: 4 }) }),
      fc.record({ kind: fc.constant("change" as const), limits }),
    );
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 25 }), async (first, steps) => {
        const keyId = await keyOf();
        const meter = new KeyMeter();
        const underWay: { slot: string; estimatedTokens: number }[] = [];
        // A limit that comes and goes is another one: only its size changes here.
        let current = first;
        let at = now;
        for (const one of steps) {
          if (one.kind === "wait") at += one.steps * stepMs;
          else if (one.kind === "change") {
            const sizes = one.limits;
            current = {
              requests_per_minute:
                first.requests_per_minute && (sizes.requests_per_minute ?? first.requests_per_minute),
              tokens_per_minute:
                first.tokens_per_minute && (sizes.tokens_per_minute ?? first.tokens_per_minute),
              concurrency: first.concurrency && (sizes.concurrency ?? first.concurrency),
            };
          } else if (one.kind === "ask") {
            const slot = fresh("slot");
            const asked = call(keyId, current, { tokens: one.tokens, slot, now: at, until: at + 86_400_000 });
            const verdict = await run(admitCalls, asked);
            assert.deepEqual(verdict, meter.admit(current, one.tokens, at));
            if (verdict.kind === "admitted") underWay.push({ slot, estimatedTokens: one.tokens });
          } else {
            const ended = underWay.shift();
            if (!ended) continue;
            meter.settle(ended.estimatedTokens, one.used);
            await run(endCalls, { keyId, ...ended, usedTokens: one.used });
          }
          const [levels] = await run(readKeyLevels, { keys: [{ keyId, limits: current }], now: at });
          const own = meter.levelsAt(current, at);
          // Without a limit of them, places are not stored.
          assert.deepEqual(levels, current.concurrency === null ? { ...own, underWay: 0 } : own);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("a refusal takes nothing, and many of them do not keep a bucket from filling", async () => {
    const keyId = await keyOf();
    const limits = { requests_per_minute: 7, concurrency: 100, tokens_per_minute: 1_000 };
    for (let i = 0; i < 7; i++) assert.equal((await run(admitCalls, call(keyId, limits))).kind, "admitted");
    const tables = async () => [
      await open().query("select * from key_buckets where key_id = ?", keyId),
      await open().query("select * from key_slots where key_id = ?", keyId),
    ];
    const before = await tables();
    // A seventh of a minute is 8,572 ms.
    for (let ms = 0; ms < 8_572; ms += 571)
      assert.equal((await run(admitCalls, call(keyId, limits, { now: now + ms }))).kind, "refused", `${ms}`);
    assert.deepEqual(await tables(), before);
    assert.equal((await run(admitCalls, call(keyId, limits, { now: now + 8_572 }))).kind, "admitted");
  });

  test("the place of a dead process is free when its lease is over, one that is renewed is not", async () => {
    const keyId = await keyOf();
    const limits = { concurrency: 2 };
    const [dead, alive] = [call(keyId, limits), call(keyId, limits)];
    for (const one of [dead, alive]) assert.equal((await run(admitCalls, one)).kind, "admitted");
    await run(renewSlots, { slots: [alive, call("key_none", limits)], until: now + 120_000 });
    const later = (ms: number) =>
      run(admitCalls, call(keyId, limits, { now: now + ms, until: now + 900_000 }));
    assert.equal((await later(59_999)).kind, "refused");
    assert.equal((await later(60_000)).kind, "admitted");
    assert.equal((await later(60_001)).kind, "refused");
    const slots = await open().query<{ slot: string }>("select slot from key_slots where key_id = ?", keyId);
    assert.equal(slots.length, 2, "the dead one's row is gone");
    await run(endCalls, { keyId, slot: alive.slot, estimatedTokens: 0, usedTokens: 0 });
    assert.equal((await later(60_002)).kind, "admitted");
  });

  test("what was estimatedTokens too high comes back, what was used beyond it is owed", async () => {
    const keyId = await keyOf();
    const limits = { tokens_per_minute: 1_000, concurrency: 9 };
    const left = async () => {
      const verdict = await run(admitCalls, call(keyId, limits));
      return verdict.kind === "gone" ? null : verdict.levels.tokens!.remaining;
    };
    const one = call(keyId, limits, { tokens: 600 });
    await run(admitCalls, one);
    assert.equal(await left(), 400);
    await run(endCalls, { keyId, slot: one.slot, estimatedTokens: 600, usedTokens: 100 });
    assert.equal(await left(), 900);
    const other = call(keyId, limits, { tokens: 10 });
    await run(admitCalls, other);
    await run(endCalls, { keyId, slot: other.slot, estimatedTokens: 10, usedTokens: 2_000 });
    const verdict = await run(admitCalls, call(keyId, limits, { tokens: 1 }));
    assert.ok(verdict.kind === "refused" && verdict.by === "tokens");
    // 1,100 owed and one to come, at 1,000 a minute.
    assert.deepEqual([verdict.levels.tokens!.remaining, verdict.retryAfterMs], [0, 66_060]);
  });

  test("keys do not touch each other, in one group or many", async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, keyOf));
    const asked = Array.from({ length: 60 }, (_, at) =>
      call(keys[at % 5]!, { requests_per_minute: 1 + (at % 5) }),
    );
    const verdicts = await Promise.all(
      asked.map((one, at) => (at % 3 === 0 ? open().other : open().database).run(admitCalls, one)),
    );
    const admitted = keys.map(
      (key) => asked.filter(({ keyId }, at) => keyId === key && verdicts[at]!.kind === "admitted").length,
    );
    assert.deepEqual(admitted, [1, 2, 3, 4, 5]);
  });

  test("a key that is revoked or gone admits no call, at once, and leaves no rows", async () => {
    const of = await makePool(open().database);
    const { keyId } = of;
    const limits = { requests_per_minute: 10, concurrency: 5 };
    const first = call(keyId, limits, { tokens: 5 });
    assert.equal((await run(admitCalls, first)).kind, "admitted");
    await run(revokePoolKey, { ...of, id: keyId, at: now });
    assert.deepEqual(await open().other.run(admitCalls, call(keyId, limits)), { kind: "gone" });
    await run(removePool, of);
    assert.deepEqual(await run(admitCalls, call(keyId, limits)), { kind: "gone" });
    await run(endCalls, { keyId, slot: first.slot, estimatedTokens: 5, usedTokens: 9 });
    await run(renewSlots, { slots: [first], until: now + 1 });
    for (const table of ["key_buckets", "key_slots"])
      assert.deepEqual(await open().query(`select * from ${table} where key_id = ?`, keyId), []);
  });
});

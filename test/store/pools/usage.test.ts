// What keys used: counted once, by every process, and read back by key, member and day.

import assert from "node:assert/strict";
import test from "node:test";
import { percentile } from "#store/histogram.ts";
import { removePool } from "#store/pools/pools.ts";
import { readSpend } from "#store/pools/spend.ts";
import { deleteCalls, findCall, listCalls, recordUsage } from "#store/pools/usage.ts";
import { readUsage, type UsageBy } from "#store/pools/usage-groups.ts";
import { onBothEngines } from "../conformance.ts";
import { anyCall, callRow, keyRow, makePool, type Pooled } from "../pool-rows.ts";

const from = "2027-01-01";
const to = "2027-12-31";
const day = "2027-01-15";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);
  const usage = (of: Pooled, by: UsageBy, range = { from, to }) => run(readUsage, { ...of, ...range, by });
  const calls = (of: Pooled, more: Partial<Parameters<typeof listCalls.run>[1]> = {}) =>
    run(listCalls, {
      accountId: of.accountId,
      poolId: of.poolId,
      ...anyCall,
      before: null,
      limit: 50,
      maxScanned: 1000,
      ...more,
    });

  test("200 calls from two processes at once: one total, every call with its row", async () => {
    const of = await makePool(open().database);
    const used = Array.from({ length: 200 }, (_, at) =>
      callRow(of, {
        status: at % 10 === 0 ? 502 : 200,
        member: at % 10 === 0 ? null : at % 2 === 0 ? "primary" : "second",
        cost_rest: 400_001,
        ms: at + 1,
      }),
    );
    await Promise.all(
      used.map((call, at) => (at % 2 === 0 ? open().database : open().other).run(recordUsage, [call])),
    );
    const [total] = await usage(of, "day");
    const { latencies, firstBytes, ...sums } = total!;
    assert.deepEqual(sums, {
      group: day,
      name: null,
      member: null,
      requests: 200,
      errors: 20,
      failed_over: 0,
      prompt_tokens: 2_000,
      completion_tokens: 4_000,
      cost: 1_400,
      cost_rest: 80_000_200,
      unpriced: 0,
    });
    const sum = (histogram: Record<string, number>) => Object.values(histogram).reduce((a, b) => a + b, 0);
    assert.deepEqual([sum(latencies), sum(firstBytes)], [180, 180], "failures are not slow answers");
    const median = percentile(latencies, 0.5)!;
    assert.ok(median > 90 && median < 112, String(median));
    const members = await usage(of, "member");
    assert.deepEqual(
      members.map(({ group, requests, errors }) => [group, requests, errors]),
      [
        ["", 20, 20],
        ["primary", 80, 0],
        ["second", 100, 0],
      ],
    );
    assert.equal((await calls(of, { limit: 500 })).rows.length, 200);
  });

  test("a call that is written twice counts once, also inside one group", async () => {
    const of = await makePool(open().database);
    const [call, twice] = [callRow(of), callRow(of)];
    await run(recordUsage, [call]);
    const again = [call, twice, twice, callRow(of)].map((one) => run(recordUsage, [one]));
    await Promise.all([...again, open().other.run(recordUsage, [call])]);
    assert.equal((await usage(of, "day"))[0]!.requests, 3);
    assert.equal((await calls(of)).rows.length, 3);
  });

  test("a row is read back as it was written, its durations in whole milliseconds", async () => {
    const of = await makePool(open().database);
    const { day: _, ...row } = callRow(of, {
      member: null,
      model: null,
      first_byte_ms: null,
      ms: 12.6,
      attempts: '[{"member":"a"}]',
      kind: "embeddings",
      stream: 1,
      estimated: 1,
    });
    await run(recordUsage, [{ ...row, day }]);
    await run(recordUsage, [callRow(of, { first_byte_ms: 3.4 })]);
    const [last, first] = (await calls(of)).rows;
    assert.deepEqual({ ...first }, { ...row, ms: 13, key_name: keyRow(of, { id: of.keyId }).name });
    const one = { accountId: of.accountId, poolId: of.poolId, id: row.id };
    assert.deepEqual(await run(findCall, one), first);
    assert.equal(await run(findCall, { ...one, accountId: "acc_other" }), null);
    assert.equal(last!.first_byte_ms, 3);
  });

  test("a caller who went away is no error, and says nothing about how long answers take", async () => {
    const of = await makePool(open().database);
    await run(recordUsage, [callRow(of, { status: 499, ms: 5 })]);
    await run(recordUsage, [callRow(of, { status: 429, ms: 5 })]);
    const [sum] = await usage(of, "key");
    assert.deepEqual([sum!.requests, sum!.errors, sum!.latencies], [2, 1, {}]);
  });

  test("usage is grouped by key with its name, by day within bounds, and to no other account", async () => {
    const of = await makePool(open().database);
    const gone = { ...of, keyId: "key_gone" };
    await run(recordUsage, [callRow(of, { day: "2027-01-31" })]);
    await run(recordUsage, [callRow(of, { day: "2027-02-01" })]);
    await run(recordUsage, [callRow(gone, { day: "2027-02-01" })]);
    assert.deepEqual(
      (await usage(of, "key")).map(({ group, name, requests }) => [group, name, requests]),
      [
        ["key_gone", null, 1],
        [of.keyId, keyRow(of, { id: of.keyId }).name, 2],
      ].sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
    );
    const days = async (range: { from: string; to: string }) =>
      (await usage(of, "day", range)).map(({ group, requests }) => [group, requests]);
    assert.deepEqual(await days({ from, to }), [
      ["2027-01-31", 1],
      ["2027-02-01", 2],
    ]);
    assert.deepEqual(await days({ from: "2027-02-01", to: "2027-02-01" }), [["2027-02-01", 2]]);
    const other = await makePool(open().database);
    for (const whose of [
      { ...of, accountId: other.accountId },
      { ...other, accountId: of.accountId },
    ]) {
      assert.deepEqual(await usage(whose, "day"), []);
      assert.deepEqual((await calls(whose)).rows, []);
      assert.deepEqual((await calls(whose, { keyId: of.keyId })).rows, []);
    }
  });

  test("calls are found by member, model, failover, user, tag and time", async () => {
    const of = await makePool(open().database);
    const at = Date.UTC(2027, 0, 15);
    const made = [
      callRow(of, { at, member: "second", failed_over: 1 }),
      callRow(of, { at: at + 1, model: "big", end_user: "ann" }),
      callRow(of, { at: at + 2, tags: '["team=a"]' }),
    ];
    for (const call of made) await run(recordUsage, [call]);
    const found = async (more: Parameters<typeof calls>[1]) =>
      (await calls(of, more)).rows.map(({ id }) => made.findIndex((call) => call.id === id));
    assert.deepEqual(await found({ member: "second" }), [0]);
    assert.deepEqual(await found({ model: "big" }), [1]);
    assert.deepEqual(await found({ failedOver: true }), [0]);
    assert.deepEqual(await found({ failedOver: false }), [2, 1]);
    assert.deepEqual(await found({ user: "ann" }), [1]);
    assert.deepEqual(await found({ tag: "team=a" }), [2]);
    assert.deepEqual(await found({ at: [at + 1, at + 2] }), [1]);
    assert.deepEqual(await found({ from: made[1]!.id }), [2, 1]);
    assert.deepEqual(await found({ member: "second", model: "big" }), []);
  });

  test("calls are newest first, page by page, by key and by status", async () => {
    const of = await makePool(open().database);
    const second = { ...of, keyId: `${of.keyId}_second` };
    const statuses = [200, 502, 200, 429, 200, 503];
    const made = statuses.map((status, at) => callRow(at % 2 === 0 ? of : second, { status }));
    for (const call of made) await run(recordUsage, [call]);
    const ids = made.map(({ id }) => id).reverse();
    const idsOf = async (more: Parameters<typeof calls>[1]) =>
      (await calls(of, more)).rows.map(({ id }) => id);
    assert.deepEqual(await idsOf({}), ids);
    assert.deepEqual(await idsOf({ before: ids[1]!, limit: 2 }), ids.slice(2, 4));
    assert.deepEqual(await idsOf({ keyId: second.keyId }), [ids[0], ids[2], ids[4]]);
    assert.deepEqual(await idsOf({ keyId: second.keyId, status: [429, 430] }), [ids[2]]);
    assert.deepEqual(await idsOf({ status: [500, 600] }), [ids[0], ids[4]]);
  });

  test("a rare status is looked for a stretch at a time, and none is passed over", async () => {
    const of = await makePool(open().database);
    const made = Array.from({ length: 25 }, (_, at) => callRow(of, { status: at % 9 === 0 ? 500 : 200 }));
    for (const call of made) await run(recordUsage, [call]);
    const expected = made.filter(({ status }) => status === 500).map(({ id }) => id);
    const found: string[] = [];
    let looks = 0;
    let before: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof calls>> = await calls(of, {
        status: [500, 600],
        before,
        maxScanned: 10,
        limit: 2,
      });
      found.push(...page.rows.map(({ id }) => id));
      before = page.rows.length === 2 ? page.rows[1]!.id : page.lookedTo;
      looks += 1;
    } while (before !== null);
    assert.deepEqual(found, expected.reverse());
    assert.equal(looks, 3);
  });

  test("old calls are removed a batch at a time, the sums of their days stay, also when the pool goes", async () => {
    const of = await makePool(open().database);
    const made = [callRow(of), callRow(of), callRow(of)];
    for (const call of made) await run(recordUsage, [call]);
    await run(deleteCalls, { before: made[0]!.id, limit: 100_000 });
    assert.equal(await run(deleteCalls, { before: made[2]!.id, limit: 1 }), 1);
    assert.equal(await run(deleteCalls, { before: made[2]!.id, limit: 10 }), 1);
    assert.equal(await run(deleteCalls, { before: made[2]!.id, limit: 10 }), 0);
    assert.deepEqual(
      (await calls(of)).rows.map(({ id }) => id),
      [made[2]!.id],
    );
    await run(removePool, of);
    const asked = { keyId: of.keyId, day, month: "2027-01" };
    assert.equal((await run(readSpend, asked)).tokensToday, 90);
  });
});

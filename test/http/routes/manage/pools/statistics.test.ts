// What a pool was asked over time, through the management API, with what its limits refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { recordUsage } from "#store/pools/usage.ts";
import { inject } from "../../../../inject.ts";
import { callRow } from "../../../../store/pool-rows.ts";
import { bearer } from "../../../managing.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

const zone = "Asia/Kolkata";

interface Sum {
  requests: number;
  errors: number;
  cost: number;
  refused: Record<string, number>;
  ended: Record<string, number>;
  latency_ms: { p50: number | null };
}
interface Statistics {
  step: string;
  after: string;
  before: string;
  time_zone: string;
  total: Sum;
  series: { key: string; name: string | null; total: Sum; points: (Sum & { at: string })[] }[];
}

let m: Managed;
let path: string;
let key: { id: string; key: string };
before(async () => {
  m = await managed();
  const { id } = await m.it.account({ time_zone: zone });
  const pools = `/accounts/${id}/pools`;
  const pool = dataOf<{ id: string }>(await m.operator("POST", pools, { name: "default" }));
  path = `${pools}/${pool.id}`;
  await m.operator("POST", `${path}/members`, { name: "one", kind: "sandbox", models: ["echo"] });
  const limits = { requests_per_minute: 1 };
  key = dataOf(await m.operator("POST", `${path}/keys`, { name: "app", limits }));
  const of = { accountId: id, poolId: pool.id, keyId: key.id, memberId: "" };
  const call = (at: string, columns: object) =>
    callRow(of, {
      id: m.it.system.core.newId("req"),
      at: Date.parse(at),
      ms: 1_000,
      cost: 1_500_000,
      ...columns,
    });
  const calls = [
    call("2025-12-30T18:20:00Z", { day: "2025-12-30", member: "one" }),
    call("2025-12-30T18:40:00Z", { day: "2025-12-31", member: "two", status: 502 }),
    call("2025-12-31T20:00:00Z", { day: "2026-01-01", member: "two" }),
  ];
  await m.it.system.database.run(recordUsage, calls);
});
after(() => m.close());

const stats = async (query = "") => dataOf<Statistics>(await m.operator("GET", `${path}/stats${query}`));

test("the last 24 hours by hour, unless said otherwise", async () => {
  const found = await stats();
  assert.deepEqual([found.step, found.after, found.time_zone], ["hour", "2025-12-31T00:00:00.000Z", zone]);
  const [series, ...more] = found.series;
  assert.deepEqual(
    [series?.points.map(({ at, requests, cost }) => [at, requests, cost]), more],
    [[["2025-12-31T20:00:00.000Z", 1, 1.5]], []],
  );
  assert.ok(Math.abs((series?.total.latency_ms.p50 ?? 0) - 1_000) <= 50);
});

test("all series together have one sum, in which each call ended once", async () => {
  const { total, series } = await stats("?split=member&step=day&after=2025-12-29T18:30:00Z");
  assert.deepEqual(
    series.map((each) => [each.key, each.total.requests]),
    [
      ["one", 1],
      ["two", 2],
    ],
  );
  assert.deepEqual(
    [total.requests, total.ended],
    [3, { answered: 2, answered_after_failover: 0, errors: 1, aborted: 0 }],
  );
  assert.ok(Math.abs((total.latency_ms.p50 ?? 0) - 1_000) <= 50);
});

test("by local days, which may begin within an hour; each call is in one of them", async () => {
  const range = "?step=day&after=2025-12-29T18:30:00Z";
  const [series] = (await stats(range)).series;
  assert.deepEqual(
    series?.points.map(({ at, requests, errors }) => [at, requests, errors]),
    [
      ["2025-12-29T18:30:00.000Z", 1, 0],
      ["2025-12-30T18:30:00.000Z", 1, 1],
      ["2025-12-31T18:30:00.000Z", 1, 0],
    ],
  );
  // The day begins within the first hour, and the call before it is another day's.
  const [later] = (await stats("?step=day&after=2025-12-30T18:45:00Z")).series;
  assert.equal(later?.total.requests, 2);
  const members = (await stats(`${range}&split=member`)).series;
  assert.deepEqual(
    members.map(({ key, total }) => [key, total.requests]),
    [
      ["one", 1],
      ["two", 2],
    ],
  );
});

test("what a limit refuses is counted under its key and the status 429", async () => {
  const ask = () =>
    inject(m.it.system.app, {
      method: "POST",
      url: "/api/ai/v1/chat/completions",
      headers: bearer(key.key),
      payload: { messages: [{ role: "user", content: "Hi" }] },
    });
  const statuses = [(await ask()).statusCode, (await ask()).statusCode, (await ask()).statusCode];
  assert.deepEqual(statuses, [200, 429, 429]);
  await m.it.advance(2_000);
  const [ofKey] = (await stats("?split=key")).series;
  assert.deepEqual(
    [ofKey?.key, ofKey?.name, ofKey?.total.refused],
    [key.id, "app", { requests: 2, tokens: 0, concurrency: 0, budget: 0 }],
  );
  const statusOf = (await stats("?split=status")).series.map(({ key: status, total }) => [
    status,
    total.requests,
    total.refused.requests,
  ]);
  assert.deepEqual(statusOf, [
    ["200", 2, 0],
    ["429", 0, 2],
  ]);
});

test("ranges that make no sense are reported by field, and a pool of another account is not found", async () => {
  for (const [query, field] of [
    ["?after=2026-01-02T00:00:00Z", "after"],
    ["?after=2025-11-01T00:00:00Z", "after"],
    ["?step=day&after=2024-11-01T00:00:00Z", "after"],
    ["?before=soon", "before"],
    ["?step=minute", "step"],
    ["?split=tag", "split"],
    ["?limit=1", "limit"],
  ] as const) {
    const reply = await m.operator("GET", `${path}/stats${query}`);
    assert.deepEqual([reply.statusCode, Object.keys(reply.json().errors)], [422, [field]], query);
  }
  const { id } = await m.it.account({ name: "other" });
  const foreign = path.replace(/accounts\/[^/]+/, `accounts/${id}`);
  assert.equal((await m.operator("GET", `${foreign}/stats`)).statusCode, 404);
});

// What a pool's keys used, through the management API: sums by day, key and member, and the single calls.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dayOf } from "#runtime/time-zones.ts";
import { recordUsage, type UsedCall } from "#store/pools/usage.ts";
import { callRow } from "../../../../store/pool-rows.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

const zone = "Pacific/Auckland";
const dayMs = 86_400_000;

let m: Managed;
let path: string;
let key: string;
let other: string;
let today: string;
const calls: UsedCall[] = [];

const daysAgo = (days: number) => new Date(Date.parse(today) - days * dayMs).toISOString().slice(0, 10);

before(async () => {
  m = await managed();
  const { id } = await m.it.account({ time_zone: zone });
  const pools = `/accounts/${id}/pools`;
  const pool = dataOf<{ id: string }>(await m.operator("POST", pools, { name: "default" }));
  path = `${pools}/${pool.id}`;
  key = dataOf<{ id: string }>(await m.operator("POST", `${path}/keys`, { name: "app" })).id;
  other = dataOf<{ id: string }>(await m.operator("POST", `${path}/keys`, { name: "other" })).id;
  today = dayOf(m.it.clock.now(), zone);
  const of = { accountId: id, poolId: pool.id, keyId: key, memberId: "" };
  const attempts = [
    { member: "primary", model: "m", ms: 12.5, outcome: "upstream_error", status: 502 },
    { member: "second", model: "m", ms: 900, outcome: "ok", status: 200 },
  ];
  for (let at = 0; at < 20; at++) {
    calls.push(
      callRow(of, {
        id: m.it.system.core.newId("cmp"),
        key_id: at % 4 === 0 ? other : key,
        status: at === 7 ? 503 : at === 9 ? 429 : at === 11 ? 499 : 200,
        member: at === 7 || at === 9 ? null : at % 2 === 0 ? "primary" : "second",
        day: daysAgo(at < 10 ? 0 : at < 19 ? 3 : 40),
        ms: 100 * (at + 1),
        cost: 1_500_000,
        attempts: JSON.stringify(attempts),
      }),
    );
  }
  for (const call of calls) await m.it.system.database.run(recordUsage, [call]);
});
after(() => m.close());

interface Sum {
  group: string;
  name: string | null;
  member: string | null;
  requests: number;
  errors: number;
  cost: number;
  latency_ms: { p50: number | null; p95: number | null; p99: number | null };
}

const usage = async (query: string) => dataOf<Sum[]>(await m.operator("GET", `${path}/usage${query}`));

test("by day: the last 30 local days unless said otherwise", async () => {
  const sums = await usage("");
  assert.deepEqual(
    sums.map(({ group, name, requests, errors, cost }) => [group, name, requests, errors, cost]),
    [
      [daysAgo(3), null, 9, 0, 13.5],
      [today, null, 10, 2, 15],
    ],
  );
  assert.equal((await usage(`?from=${daysAgo(40)}`)).length, 3);
  assert.deepEqual(
    (await usage(`?from=${daysAgo(5)}&to=${daysAgo(1)}`)).map(({ group }) => group),
    [daysAgo(3)],
  );
  assert.deepEqual(await usage(`?to=${daysAgo(100)}`), []);
});

test("by key with its name, by member, with percentiles of what was answered", async () => {
  const keys = await usage("?by=key");
  assert.deepEqual(
    keys.map(({ group, name, requests }) => [group, name, requests]),
    [
      [key, "app", 14],
      [other, "other", 5],
    ],
  );
  const members = await usage("?by=member");
  assert.deepEqual(
    members.map(({ group, requests }) => [group, requests]),
    [
      ["primary", 12],
      ["second", 7],
    ],
    "two calls that no member answered stand under the one that failed",
  );
  const [primary] = members;
  const { p50, p95, p99 } = primary!.latency_ms;
  assert.ok(
    Math.abs(p50! - 900) <= 45 && Math.abs(p99! - 1_900) <= 95 && p95! <= p99!,
    `${p50} ${p95} ${p99}`,
  );
});

test("days that make no sense are reported by field", async () => {
  for (const [query, field] of [
    ["?from=2026-02-30", "from"],
    ["?to=yesterday", "to"],
    [`?from=${today}&to=${daysAgo(1)}`, "from"],
    [`?from=${daysAgo(366)}`, "from"],
    ["?by=week", "by"],
    ["?limit=1", "limit"],
  ] as const) {
    const reply = await m.operator("GET", `${path}/usage${query}`);
    assert.deepEqual([reply.statusCode, Object.keys(reply.json().errors)], [422, [field]], query);
  }
  assert.equal((await m.operator("GET", `${path}/usage?from=${daysAgo(365)}`)).statusCode, 200);
});

const attempt = { member: "primary", model: "m", ms: 12.5, outcome: "ok", status: 200 };

interface Call {
  id: string;
  key: string;
  status: number;
}

test("calls are newest first, a page at a time, each with who was asked", async () => {
  const ids: string[] = [];
  let cursor = "";
  do {
    const reply = await m.operator("GET", `${path}/calls?limit=7${cursor}`);
    ids.push(...dataOf<Call[]>(reply).map(({ id }) => id));
    cursor = reply.json().next_cursor === null ? "" : `&cursor=${reply.json().next_cursor}`;
  } while (cursor !== "");
  assert.deepEqual(ids, calls.map(({ id }) => id).reverse());
  const [newest] = dataOf<Call[]>(await m.operator("GET", `${path}/calls?limit=1`));
  const last = calls.at(-1)!;
  assert.deepEqual(newest, {
    id: last.id,
    at: new Date(last.at).toISOString(),
    key,
    key_name: "app",
    person: null,
    reused: null,
    kind: "chat",
    stream: false,
    status: 200,
    member: "second",
    model: "echo",
    // As those of calls from before it was recorded when attempts began.
    attempts: (JSON.parse(last.attempts) as object[]).map((attempt) => ({
      ...attempt,
      started_ms: null,
      given_up: false,
    })),
    prompt_tokens: 10,
    completion_tokens: 20,
    estimated: false,
    cached_tokens: 0,
    cache_write_tokens: 0,
    cost: 1.5,
    price_source: "set",
    first_byte_ms: 100,
    ms: 2_000,
    failed_over: false,
    user: null,
    tags: [],
    client_request_id: null,
    api: null,
  });
});

test("one call is read by its id, in its own pool alone", async () => {
  const { id } = calls[3]!;
  const call = dataOf<Record<string, unknown>>(await m.operator("GET", `${path}/calls/${id}`));
  assert.deepEqual([call.id, call.key_name, call.ms], [id, "app", 400]);
  const pools = path.slice(0, path.lastIndexOf("/"));
  const beside = dataOf<{ id: string }>(await m.operator("POST", pools, { name: "beside" })).id;
  for (const wrong of [`${pools}/${beside}/calls/${id}`, `${path}/calls/req_${"0".repeat(26)}`])
    assert.equal((await m.operator("GET", wrong)).statusCode, 404, wrong);
});

test("days are split by member, and nothing else is", async () => {
  const sums = await usage("?split=member");
  assert.deepEqual(
    sums.map(({ group, member, requests }) => [group, member, requests]),
    [
      [daysAgo(3), "primary", 5],
      [daysAgo(3), "second", 4],
      [today, "primary", 7],
      [today, "second", 3],
    ],
  );
  assert.deepEqual([...new Set((await usage("")).map(({ member }) => member))], [null]);
  const reply = await m.operator("GET", `${path}/usage?by=hour&split=member`);
  assert.deepEqual([reply.statusCode, Object.keys(reply.json().errors)], [422, ["split"]]);
});

test("a key tells when it was last used and what it spent in the day and month", async () => {
  interface Use {
    name: string;
    last_used_at: string | null;
    spent: {
      tokens_today: number;
      tokens_this_month: number;
      cost_this_month: number;
      unpriced_this_month: number;
    };
  }
  const unused = dataOf<Use>(await m.operator("POST", `${path}/keys`, { name: "unused" }));
  assert.deepEqual(
    [unused.last_used_at, unused.spent],
    [null, { tokens_today: 0, tokens_this_month: 0, cost_this_month: 0, unpriced_this_month: 0 }],
  );
  const mine = calls.filter((call) => call.key_id === key);
  const ofMonth = mine.filter(({ day }) => day.slice(0, 7) === today.slice(0, 7));
  const used = dataOf<Use[]>(await m.operator("GET", `${path}/keys`)).find(({ name }) => name === "app");
  assert.equal(used?.last_used_at, new Date(mine.at(-1)!.at).toISOString());
  assert.deepEqual(used?.spent, {
    tokens_today: mine.filter(({ day }) => day === today).length * 30,
    tokens_this_month: ofMonth.length * 30,
    cost_this_month: ofMonth.length * 1.5,
    unpriced_this_month: 0,
  });
});

test("calls are found by key and by status", async () => {
  const found = async (query: string) =>
    dataOf<Call[]>(await m.operator("GET", `${path}/calls?${query}`)).map(({ status }) => status);
  assert.deepEqual(await found("status=4xx"), [499, 429]);
  assert.deepEqual(await found("status=5xx"), [503]);
  assert.deepEqual(await found("status=429"), [429]);
  assert.equal((await found(`key=${other}`)).length, 5);
  assert.deepEqual(await found(`key=${other}&status=5xx`), []);
  assert.deepEqual(await found("key=key_of_nobody"), []);
  assert.equal((await found("failed_by=primary")).length, 20);
  assert.deepEqual(await found("failed_by=second"), []);
  for (const query of ["status=6xx", "status=20", "key=a%20b", "limit=201", "cursor=a%20b"])
    assert.equal((await m.operator("GET", `${path}/calls?${query}`)).statusCode, 422, query);
});

test("calls and usage by user and tag, in the pool and over the account", async () => {
  const of = "?by=tag";
  assert.deepEqual(await usage(of), []);
  const call = calls[0]!;
  const labels = { end_user: "ann", tags: '["team=a"]', api: "messages" };
  const attempts = JSON.stringify([{ ...attempt, started_ms: 0.5 }]);
  const labelled = { ...call, ...labels, attempts, id: m.it.system.core.newId("req") };
  await m.it.system.database.run(recordUsage, [
    { ...labelled, at: m.it.clock.now(), day: today, failed_over: 1 },
  ]);
  const groups = async (query: string, where = path) =>
    dataOf<Sum[]>(await m.operator("GET", `${where}${query}`)).map(({ group, requests }) => [
      group,
      requests,
    ]);
  assert.deepEqual(await groups("/usage?by=tag"), [["team=a", 1]]);
  const account = path.slice(0, path.indexOf("/pools/"));
  assert.deepEqual(await groups("/ai-usage?by=user", account), [["ann", 1]]);
  assert.equal((await groups("/ai-usage?by=pool", account)).length, 1);
  assert.deepEqual(
    (await groups("/ai-usage?by=hour", account)).map(([, requests]) => requests),
    [1, 19],
  );
  const found = async (query: string) =>
    dataOf<{ id: string }[]>(await m.operator("GET", `${path}/calls?${query}`)).map(({ id }) => id);
  const begun = new Date(m.it.clock.now()).toISOString();
  for (const query of ["user=ann", "tag=team%3Da", "failed_over=true", "api=messages", `after=${begun}`])
    assert.deepEqual(await found(query), [labelled.id], query);
  assert.ok(!(await found(`before=${begun}`)).includes(labelled.id));
  assert.deepEqual(await found("api=responses"), []);
  assert.equal((await m.operator("GET", `${path}/calls?api=smtp`)).statusCode, 422);
  const [shown] = dataOf<Record<string, unknown>[]>(await m.operator("GET", `${path}/calls?limit=1`));
  assert.deepEqual(shown?.attempts, [{ ...attempt, started_ms: 0.5, given_up: false }]);
  assert.deepEqual(
    [shown?.user, shown?.tags, shown?.failed_over, shown?.client_request_id],
    ["ann", ["team=a"], true, null],
  );
  for (const [query, field] of [
    ["calls?failed_over=maybe", "failed_over"],
    ["calls?after=yesterday", "after"],
    ["calls?before=2026-01-01", "before"],
    [`usage?by=hour&from=${daysAgo(31)}`, "from"],
    ["usage?by=pool", "by"],
  ] as const) {
    const reply = await m.operator("GET", `${path}/${query}`);
    assert.deepEqual([reply.statusCode, Object.keys(reply.json().errors)], [422, [field]], query);
  }
});

// Usage goes behind the answers: gathered for a second, kept while the storage is away, bounded, and nothing is lost
// or counted twice. One record that cannot be written does not keep the others from it.

import assert from "node:assert/strict";
import test from "node:test";
import type { Caller } from "#ai/caller.ts";
import type { CallOutcome } from "#ai/complete.ts";
import type { Member } from "#ai/pools/member.ts";
import { callCost } from "#ai/pricing.ts";
import { costOf, createUsageLog, usageRow } from "#ai/usage.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Database, StorageError, type StorageFault } from "#store/database.ts";
import type { UsedCall } from "#store/pools/usage.ts";
import { memoryLog } from "../log.ts";
import { poolKey } from "./pools/pool-keys.ts";

function logging() {
  const clock = movableClock(Date.UTC(2026, 0, 30, 23, 30));
  const rows = new Map<string, UsedCall>();
  const storage = { faultOf: (_call: UsedCall): StorageFault | null => null, runs: 0 };
  const database = {
    run: async (_operation: unknown, calls: readonly UsedCall[]) => {
      storage.runs += 1;
      const fault = calls.map(storage.faultOf).find((one) => one !== null);
      if (fault) throw new StorageError(fault, fault);
      for (const call of calls) rows.set(call.id, call);
      return null;
    },
  } as unknown as Database;
  const recorded = { dropped: 0, written: [] as string[] };
  const usage = createUsageLog({
    database,
    clock,
    log: memoryLog(),
    dropped: (count) => {
      recorded.dropped += count;
    },
    written: ({ id }) => recorded.written.push(id),
  });
  return { clock, rows, storage, usage, recorded };
}

const priced = [
  {
    name: "main",
    price: { input: 1, output: 1.5, cached_input: 0.123456 },
    prices: {},
    aliases: {},
    provider: openaiCompatible,
    settings: openaiCompatible.settings.parse({}),
  },
] as unknown as Member[];

const ended = (
  id: string,
  more: Partial<CallOutcome> = {},
  members: readonly Member[] = [],
  person?: Caller["person"],
): UsedCall => {
  const outcome = {
    status: 200,
    member: "main",
    model: "m",
    attempts: [{ member: "main", model: "m", started_ms: 3, ms: 12, outcome: "ok" as const, status: 200 }],
    usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
    estimated: true,
    firstByteMs: 10.6,
    ms: 12.4,
    ...more,
  };
  return usageRow(
    {
      id,
      key: poolKey(),
      kind: "chat",
      api: "messages",
      stream: true,
      at: Date.UTC(2026, 0, 30, 23, 30),
      clientRequestId: "mine",
      labels: { user: "u", tags: ["a=b"] },
      person,
    },
    { ...outcome, cost: callCost({ members }, outcome) },
  );
};

test("a call is written within a second, as what it was, by the account's local day; after that nothing runs", async () => {
  const { clock, rows, usage, recorded } = logging();
  const row = ended("req_1", {}, priced);
  assert.deepEqual(costOf(row), { day: row.day, tokens: 7, cost: 9 });
  usage.record(row);
  assert.equal(rows.size, 0);
  await clock.advance(1_000);
  assert.deepEqual(rows.get("req_1"), {
    id: "req_1",
    account_id: "acc_1",
    pool_id: "pool_1",
    key_id: "key_1",
    at: Date.UTC(2026, 0, 30, 23, 30),
    day: "2026-01-31",
    kind: "chat",
    stream: 1,
    status: 200,
    member: "main",
    model: "m",
    attempts: '[{"member":"main","model":"m","started_ms":3,"ms":12,"outcome":"ok","status":200}]',
    prompt_tokens: 3,
    completion_tokens: 4,
    estimated: 1,
    cost: 9,
    cost_rest: 0,
    cached_tokens: 0,
    cache_write_tokens: 0,
    price_source: "set",
    first_byte_ms: 11,
    ms: 12,
    failed_over: 0,
    end_user: "u",
    tags: '["a=b"]',
    client_request_id: "mine",
    api: "messages",
    person: null,
    reused: null,
  });
  assert.deepEqual(recorded, { dropped: 0, written: ["req_1"] });
  assert.equal(clock.sleeping(), 0);
  usage.record(ended("req_2", { firstByteMs: null }));
  await clock.advance(1_000);
  assert.equal(rows.get("req_2")?.first_byte_ms, null);
});

test("cached tokens count with their price, and nothing is rounded", () => {
  const usage = {
    promptTokens: 3,
    completionTokens: 0,
    totalTokens: 3,
    cachedTokens: 2,
    cacheWriteTokens: 1,
  };
  const row = ended("req_1", { usage }, priced);
  assert.deepEqual([row.cost, row.cost_rest, row.cached_tokens, row.cache_write_tokens], [1, 246_912, 2, 1]);
  assert.equal(costOf(row).cost, 1.246912);
  const unknown = ended("req_2", { usage }, []);
  assert.deepEqual([unknown.cost, unknown.cost_rest, unknown.price_source], [0, 0, null]);
});

test("a call that was answered by an earlier answer says by which", () => {
  assert.equal(ended("req_1", { reused: "cache" }).reused, "cache");
});

test("a call of a person who tries the pool is recorded under their name", () => {
  const person = { name: "ada@acme.test", ended: () => {} };
  assert.equal(ended("req_1", {}, [], person).person, "ada@acme.test");
});

test("what cannot be written waits, and is written when the storage is back; each is counted as written once", async () => {
  const { clock, rows, storage, usage, recorded } = logging();
  storage.faultOf = () => "unavailable";
  for (const id of ["req_1", "req_2", "req_3"]) usage.record(ended(id));
  await clock.advance(60_000);
  assert.equal(rows.size, 0);
  storage.faultOf = () => null;
  await clock.advance(1_000);
  assert.deepEqual([...rows.keys()], ["req_1", "req_2", "req_3"]);
  assert.deepEqual(recorded, { dropped: 0, written: ["req_1", "req_2", "req_3"] });
});

test("a record that the storage will never take is dropped and counted, and keeps no other record waiting", async () => {
  const { clock, rows, storage, usage, recorded } = logging();
  storage.faultOf = ({ id }) => (id === "req_1" ? "failed" : null);
  usage.record(ended("req_1"));
  usage.record(ended("req_2"));
  await clock.advance(1_000);
  assert.deepEqual([...rows.keys()], ["req_2"]);
  assert.deepEqual(recorded, { dropped: 1, written: ["req_2"] });
  assert.equal(clock.sleeping(), 0);
});

test("the storage goes away while a batch is written one by one: what is not written yet waits", async () => {
  const { clock, rows, storage, usage, recorded } = logging();
  storage.faultOf = ({ id }) => (id === "req_2" ? "failed" : id === "req_3" ? "unavailable" : null);
  for (const id of ["req_1", "req_2", "req_3"]) usage.record(ended(id));
  // The fault of a batch is its first one's.
  await clock.advance(1_000);
  assert.deepEqual([[...rows.keys()], recorded.dropped], [["req_1"], 1]);
  storage.faultOf = () => null;
  await clock.advance(1_000);
  assert.deepEqual([...rows.keys()], ["req_1", "req_3"]);
  assert.deepEqual(recorded, { dropped: 1, written: ["req_1", "req_3"] });
});

test("20,000 wait at the most: the oldest go, and are counted", async () => {
  const { clock, rows, storage, usage, recorded } = logging();
  storage.faultOf = () => "unavailable";
  for (let i = 0; i < 20_300; i++) usage.record(ended(`req_${i}`));
  assert.equal(recorded.dropped, 300);
  await clock.advance(1_000);
  storage.faultOf = () => null;
  await clock.advance(1_000);
  assert.equal(rows.size, 20_000);
  assert.ok(!rows.has("req_299") && rows.has("req_300"));
  assert.equal(recorded.dropped, 300);
});

test("a stop writes what waits, without waiting; what even then cannot be written is counted", async () => {
  const { rows, storage, usage, recorded } = logging();
  usage.record(ended("req_1"));
  await usage.stop();
  assert.deepEqual([...rows.keys()], ["req_1"]);
  const other = logging();
  other.storage.faultOf = () => "unavailable";
  other.usage.record(ended("req_1"));
  other.usage.record(ended("req_2"));
  await other.usage.stop();
  assert.equal(other.recorded.dropped, 2);
  assert.deepEqual([storage.runs, recorded.dropped], [1, 0]);
});

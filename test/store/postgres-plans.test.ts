// PostgreSQL knows how large its tables are whenever it plans, but not what is in them until they are analysed. Every
// operation is run on tables that were analysed while they were tiny, on tables that never were, and on freshly
// analysed ones, each with plans for the values and with generic plans, which a prepared statement ends up with.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { openStore, type Store } from "./conformance.ts";
import { growTo, plansOnPostgres } from "./statement-plans.ts";

const messages = 100_000;
/** With so many messages these are large enough for any index to be cheaper than reading them whole. */
const large = [
  "messages",
  "events",
  "message_references",
  "receipts",
  "webhook_events",
  "webhook_deliveries",
  "completions",
];

/** Statements that may read a large table whole, and why they may. */
const always: [operation: string, why: string][] = [
  ["countByStatus", "adds up an account's messages, for audits"],
  ["holdPending", "a hold is made in a copy of a SQLite database only"],
  ["readRestoreHold", "counts what is held, once there is a hold"],
  ["deleteEmptyRestoreHold", "ends a hold"],
  ["releaseHeld", "ends a hold"],
  ["cancelHeld", "ends a hold"],
];
/** And those that may until the tables are analysed, which autovacuum does within a minute or two. */
const early: [operation: string, why: string][] = [
  ...always,
  ["countWebhooks", "counts at most 100,000, for metrics"],
  ["listDeliveries", "a page of a log by its status"],
  ["replayFailed", "a page of a log"],
  ["deleteWebhookEvents", "nothing tells yet that an event has few deliveries"],
];

let store: Store;

before(async () => {
  store = await openStore("postgres");
  for (const { name } of await tables())
    await store.query(`alter table ${name} set (autovacuum_enabled = false)`);
  await growTo(store, 0, 10);
  await store.query("analyze");
  await growTo(store, 10, messages);
});
after(() => store.close());

const tables = () => store.query<{ name: string }>("select relname as name from pg_stat_user_tables");

async function forgetStatistics(): Promise<void> {
  const columns = await store.query<{ name: string; tablename: string }>(
    "select distinct attname as name, tablename from pg_stats where schemaname = 'trunkline'",
  );
  for (const { name, tablename } of columns)
    await store.query("select pg_clear_attribute_stats('trunkline', ?, ?, false)", tablename, name);
  for (const { name } of await tables())
    await store.query("select pg_clear_relation_stats('trunkline', ?)", name);
}

async function expectKeys(mode: "generic" | "custom", exceptions: readonly [string, string][]) {
  const wholly = new RegExp(`Seq Scan on (${large.join("|")})\\b`);
  const allowed = new Set(exceptions.map(([operation]) => operation));
  const plans = await plansOnPostgres(store, mode);
  assert.ok(plans.size > 300);
  for (const [text, { operations, plan }] of plans) {
    if ([...operations].every((operation) => allowed.has(operation))) continue;
    assert.doesNotMatch(plan, wholly, `${mode}: ${[...operations]}\n${text}`);
  }
}

test("tables that were analysed while they were tiny", async () => {
  for (const mode of ["custom", "generic"] as const) await expectKeys(mode, early);
});

test("tables that were never analysed", async () => {
  await forgetStatistics();
  for (const mode of ["custom", "generic"] as const) await expectKeys(mode, early);
});

test("tables that are analysed", async () => {
  await store.query("analyze");
  for (const mode of ["custom", "generic"] as const) await expectKeys(mode, always);
});

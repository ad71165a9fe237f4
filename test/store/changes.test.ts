// Every operation announces what it changes: each is run with its inputs on a database that has grown, and SQLite says of which
// tables rows have changed.

import assert from "node:assert/strict";
import { once } from "node:events";
import test, { after, before } from "node:test";
import type { Topic } from "#contract/manage/account-events.ts";
import type { ChangeKind } from "#store/changes.ts";
import { SqliteConnection, sqliteTx } from "#store/engine/sqlite/connection.ts";
import { openStore, type Store } from "./conformance.ts";
import { makeAccount } from "./rows.ts";
import { cases, growTo } from "./statement-plans.ts";

/** What someone who watches an account sees of each table. */
const topicOf: Readonly<Record<string, Topic>> = {
  accounts: "account",
  api_keys: "account",
  named_keys: "account",
  call_contents: "calls",
  completions: "calls",
  deferred_completions: "calls",
  refused_calls: "calls",
  credits: "credit",
  credit_entries: "credit",
  dkim_keys: "domains",
  sending_domains: "domains",
  webhook_deliveries: "deliveries",
  hooks: "hooks",
  gateways: "gateways",
  gateway_account_updates: "gateways",
  gateway_pauses: "gateways",
  unknown_words: "gateways",
  pool_keys: "keys",
  gateway_sessions: "links",
  messages: "messages",
  message_events: "messages",
  pools: "pools",
  pool_members: "pools",
  inbound_messages: "received",
  suppressions: "suppressions",
  webhook_endpoints: "webhooks",
};

/** What this process has to do when rows of a table change. */
const kindOf: Readonly<Record<string, ChangeKind>> = {
  accounts: "accounts",
  api_keys: "accounts",
  named_keys: "accounts",
  gateways: "accounts",
  pools: "pools",
  pool_members: "pools",
  pool_keys: "pools",
};

/** Operations that change rows of a table and do not say so, and why. */
const silent: readonly (readonly [operation: string, tables: RegExp, why: string])[] = [
  ["noteKeyUse", /^(api|named)_keys$/, "when a key was used last is no setting"],
  ["setGatewayCounting", /^gateways$/, "nothing shows how parts are counted"],
  ["holdPending", /./, "the process starts only when everything is held"],
  ["deleteMessages", /./, "retention"],
  ["deleteInbound", /./, "retention"],
  ["deleteWebhookEvents", /./, "retention"],
  ["deleteOldContents", /./, "retention"],
  ["deleteUsageSums", /./, "retention"],
  ["deleteCalls", /./, "retention"],
];

let store: Store;
before(async () => {
  store = await openStore("sqlite");
  await growTo(store, 0, 3_000);
});
after(() => store.close());

test("a listener that throws keeps neither the others nor the call from hearing of it", async () => {
  const heard: string[] = [];
  const warned = once(process, "warning");
  const ends = [
    store.database.onChanges(() => {
      throw new Error("a listener broke");
    }),
    store.database.onChanges(({ kinds }) => void heard.push(...kinds)),
  ];
  await makeAccount(store.database);
  for (const end of ends) end();
  assert.ok(heard.includes("accounts"));
  const [warning] = await warned;
  assert.match(String(warning), /a listener broke/);
});

test("every operation that changes rows of a table announces the table's topic", async () => {
  const connection = new SqliteConnection(store.place, "write");
  const tx = sqliteTx(connection);
  const missing = new Set<string>();
  const announcing = new Set<string>();
  const tables = [...new Set([...Object.keys(topicOf), ...Object.keys(kindOf)])];
  for (const { operation, inputs } of cases.filter(({ operation }) => operation.access === "write"))
    for (const input of inputs) {
      connection.raw.exec("begin immediate");
      const sessions = tables.map((table) => [table, connection.raw.createSession({ table })] as const);
      const run = operation.run as (on: typeof tx, input: unknown) => Promise<unknown>;
      await run(tx, operation.batched ? [input] : input);
      const changed = sessions.flatMap(([table, session]) =>
        session.changeset().length === 0 ? [] : [table],
      );
      for (const [, session] of sessions) session.close();
      tx.changes.commit();
      const changes = tx.changes.take();
      const topics = new Set(changes.flatMap((each) => each.topics.flatMap(([, found]) => found)));
      const kinds = new Set(changes.flatMap((each) => each.kinds));
      connection.raw.exec("rollback");
      if (topics.size > 0) announcing.add(operation.name);
      for (const table of changed) {
        if (silent.some(([name, of]) => name === operation.name && of.test(table))) continue;
        const [topic, kind] = [topicOf[table], kindOf[table]];
        if (topic !== undefined && !topics.has(topic)) missing.add(`${operation.name}: ${table} → ${topic}`);
        if (kind !== undefined && !kinds.has(kind)) missing.add(`${operation.name}: ${table} → ${kind}`);
      }
    }
  connection.close();
  assert.deepEqual([...missing], []);
  assert.ok(announcing.size > 60, `${announcing.size} operations announce something`);
});

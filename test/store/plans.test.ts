// The hot queries use their index, on both engines, with 20,000 rows: on PostgreSQL also with the generic plan
// that a prepared statement ends up with. The statements explained are those that the operations really run.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import type { CompiledQuery } from "kysely";
import pg, { type PoolClient } from "pg";
import { channels, type Status, statuses } from "#contract/messages/channel.ts";
import type { Operation, Tx } from "#store/database.ts";
import { postgresTx } from "#store/engine/postgres/connection.ts";
import { SqliteConnection, sqliteTx } from "#store/engine/sqlite/connection.ts";
import { findLanesToRecover, readDueLanes } from "#store/lanes/due.ts";
import { countWaiting } from "#store/lanes/lanes.ts";
import { nextDue, readDue } from "#store/messages/attempts.ts";
import { storeSends } from "#store/messages/insert.ts";
import { recentMessages } from "#store/messages/lookup.ts";
import { moveToDefault } from "#store/messages/move.ts";
import { recoverMessages } from "#store/messages/recover.ts";
import { type SearchInput, searchMessages } from "#store/messages/search.ts";
import { numericTypes, openStore, type Store } from "./conformance.ts";
import { makeAccount, makeGateway, now, sendOf } from "./rows.ts";

interface Explainer {
  store: Store;
  accountId: string;
  gatewayId: string;
  /** Runs an operation and returns the plans of its statements on `messages`, one text each. */
  plans<I, O>(operation: Operation<I, O>, input: I): Promise<string[]>;
  close(): Promise<void>;
}

/** Twenty accounts with a lane of 1,000 messages each: a tenth waits, some due and some not, a few are on their way. */
async function fill(store: Store) {
  const lanes: { accountId: string; gatewayId: string }[] = [];
  for (let i = 0; i < 20; i++) {
    const accountId = await makeAccount(store.database);
    const gatewayId = await makeGateway(store.database, accountId);
    lanes.push({ accountId, gatewayId });
  }
  // Turn by turn, as accounts send in life: none of them holds the newest rows alone.
  for (let turn = 0; turn < 10; turn++) {
    for (const { accountId, gatewayId } of lanes) {
      const send = sendOf(accountId, gatewayId, { count: 100, priority: turn % 3 });
      send.messages.forEach((message, i) => {
        message.due_at += i % 2 === 0 ? -i : i * 1000;
      });
      await store.database.run(storeSends, send);
    }
  }
  const update = (change: string, digits: string) =>
    store.query(`update messages set ${change}, due_at = null where substr(id, 11, 2) ${digits}`);
  await update("status = 'delivered'", "not in ('07', '08', '17', '18', '27', '28', '37', '38', '47', '48')");
  await update("status = 'sending', fence = 1", "= '17'");
  return lanes[7]!;
}

async function run(tx: Tx, operation: Operation<never, unknown>, input: unknown): Promise<void> {
  const call = operation.run as (tx: Tx, input: unknown) => Promise<unknown>;
  await call(tx, operation.batched ? [input] : input);
}

async function onSqlite(): Promise<Explainer> {
  const store = await openStore("sqlite");
  const filled = await fill(store);
  await store.query("analyze");
  let found: string[] = [];
  class Explaining extends SqliteConnection {
    override async executeQuery<R>(query: CompiledQuery) {
      if (/\bmessages\b/.test(query.sql)) {
        const steps = this.raw
          .prepare(`explain query plan ${query.sql}`)
          .all(...(query.parameters as (string | number | null)[]));
        found.push(steps.map((step) => String(step.detail)).join("\n"));
      }
      return await super.executeQuery<R>(query);
    }
  }
  const connection = new Explaining(store.place, "write");
  return {
    store,
    ...filled,
    plans: async (operation, input) => {
      found = [];
      connection.raw.exec("begin immediate");
      await run(sqliteTx(connection), operation as Operation<never, unknown>, input);
      connection.raw.exec("rollback");
      return found;
    },
    close: async () => {
      connection.close();
      await store.close();
    },
  };
}

/** A parameter as it is in `execute`. */
function literal(value: unknown): string {
  if (value === null) return "null";
  if (!Array.isArray(value)) return pg.escapeLiteral(String(value));
  return `array[${value.map((text) => pg.escapeLiteral(String(text))).join(", ")}]::text[]`;
}

async function onPostgres(plan: "generic" | "custom"): Promise<Explainer> {
  const store = await openStore("postgres");
  const filled = await fill(store);
  await store.query("analyze");
  const client = new pg.Client({ connectionString: store.place, types: numericTypes });
  await client.connect();
  await client.query(`set plan_cache_mode = force_${plan}_plan`);
  let found: string[] = [];
  let prepared = 0;
  const explaining = {
    query: async (query: { text: string; values: unknown[] }) => {
      if (/\bmessages\b/.test(query.text)) {
        // Prepared, as the engine's own statements are: its plan is the one in force.
        prepared += 1;
        const name = `plan_${prepared}`;
        const literals = query.values.map(literal);
        await client.query(`prepare ${name} as ${query.text}`);
        const call = literals.length === 0 ? name : `${name}(${literals.join(", ")})`;
        const explained = await client.query(`explain (costs off) execute ${call}`);
        found.push(explained.rows.map((row) => row["QUERY PLAN"]).join("\n"));
      }
      return await client.query({ text: query.text, values: query.values });
    },
  };
  return {
    store,
    ...filled,
    plans: async (operation, input) => {
      found = [];
      await client.query("begin");
      const tx = postgresTx(explaining as unknown as PoolClient);
      await run(tx, operation as Operation<never, unknown>, input);
      await client.query("rollback");
      return found;
    },
    close: async () => {
      await client.end();
      await store.close();
    },
  };
}

const openers: [string, () => Promise<Explainer>][] = [
  ["sqlite", onSqlite],
  ["postgres, plans for the values", () => onPostgres("custom")],
  ["postgres, generic plans", () => onPostgres("generic")],
];

for (const [name, open] of openers) {
  test(name, async (t) => {
    const explainer = await open();
    after(() => explainer.close());
    const { accountId, gatewayId } = explainer;
    const expect = async <I, O>(operation: Operation<I, O>, input: I, index: string, each = true) => {
      await t.test(`${operation.name}: ${index}`, async () => {
        const plans = await explainer.plans(operation, input);
        assert.ok(plans.length > 0);
        for (const plan of each ? plans : plans.slice(0, 1)) {
          assert.match(plan, new RegExp(`\\b${index}\\b`));
          assert.doesNotMatch(plan, /seq scan on messages|scan messages(?! using)/i);
          // A few rows may well be sorted, where the values show that they are few.
          if (!name.includes("values")) assert.doesNotMatch(plan, /\bsort\b|temp b-tree/i);
        }
      });
    };
    const due = { laneId: gatewayId, priority: 1, now };
    await expect(readDue, { ...due, after: null, limit: 100 }, "messages_due");
    await expect(readDue, { ...due, after: { dueAt: now - 500, id: "msg_1" }, limit: 100 }, "messages_due");
    await expect(nextDue, { laneId: gatewayId, priorities: [0, 1, 2], now }, "messages_due");
    await expect(countWaiting, { priorities: [0, 1, 2], now }, "messages_due");
    await expect(readDueLanes, { priorities: [0, 1, 2], until: now }, "messages_due");
    await t.test("findLanesToRecover: messages_status by account, channel and status", async () => {
      const [plan] = await explainer.plans(findLanesToRecover, [gatewayId]);
      assert.match(
        plan!,
        name === "sqlite"
          ? /messages_status \(account_id=\? AND channel=\? AND status=\?\)/
          : /Index Cond: \(\(account_id = .*\) AND \(channel = .*\) AND \(status = /,
      );
      assert.doesNotMatch(plan!, /seq scan on messages|scan messages(?! using)/i);
    });
    const details = { at: now, detail: "" };
    const outcome = { step: "outcome_unknown", details } as const;
    const recover = { laneId: gatewayId, fence: 2, limit: 10, first: outcome, again: outcome };
    await expect(recoverMessages, recover, "messages_status", false);
    const [middle] = await explainer.store.query<{ id: string }>(
      "select id from messages where account_id = ? order by id limit 1 offset 500",
      accountId,
    );
    const before = middle!.id;
    const page = { accountId, channel: "sms", before: null, limit: 50 } as const;
    const recent: [Status | null, string | null, number][] = [
      [null, null, statuses.length],
      [null, before, statuses.length],
      ["sending", null, 1],
      ["failed", before, 1],
    ];
    for (const [status, start, walks] of recent) {
      await t.test(`recentMessages: ${walks} stretches of messages_status`, async () => {
        const [plan] = await explainer.plans(recentMessages, { ...page, status, before: start });
        assert.ok(plan);
        assert.equal(plan.match(/\bmessages_status\b/g)?.length, walks, plan);
        assert.doesNotMatch(plan, /seq scan on messages|scan messages(?! using)/i);
      });
    }
    const all: SearchInput = {
      accountId,
      channels,
      statuses: null,
      gatewayId: null,
      recipient: null,
      from: "msg_",
      before: "msg_~",
      acceptedFrom: null,
      acceptedBefore: null,
      limit: 51,
      maxScanned: 5000,
      bytes: 1,
    };
    const sms = { channels: ["sms"] as const };
    const searches: [string, Partial<SearchInput>, string, number][] = [
      ["everything", {}, "messages_status", 3 * statuses.length],
      ["one channel", sms, "messages_status", statuses.length],
      ["a status", { statuses: ["sending"] }, "messages_status", 3],
      ["three statuses", { statuses: ["failed", "bounced", "expired"] }, "messages_status", 9],
      ["a status of one channel", { ...sms, statuses: ["sending"], before }, "messages_status", 1],
      ["a recipient", { recipient: "+15550001" }, "messages_recipient", 1],
      [
        "a recipient and a status",
        { recipient: "+15550001", statuses: ["sending"] },
        "messages_recipient",
        1,
      ],
      ["a gateway", { ...sms, gatewayId }, "messages_gateway", 1],
      ["a gateway and a usual status", { ...sms, gatewayId, statuses: ["delivered"] }, "messages_gateway", 1],
      ["a gateway and a rare status", { ...sms, gatewayId, statuses: ["sending"] }, "messages_status", 1],
      [
        "one channel, ascending",
        { ...sms, from: before, ascending: true },
        "messages_status",
        statuses.length,
      ],
      ["a gateway, ascending", { ...sms, gatewayId, from: before, ascending: true }, "messages_gateway", 1],
      ["a time", { ...sms, from: before, acceptedFrom: now }, "messages_status", statuses.length],
    ];
    for (const [what, filters, index, walks] of searches) {
      await t.test(`searchMessages by ${what}: ${index}`, async () => {
        const plans = await explainer.plans(searchMessages, { ...all, ...filters });
        const plan = plans[0]!;
        assert.equal(plan.match(new RegExp(`\\b${index}\\b`, "g"))?.length, walks, plan);
        // A walk comes in order; a few rows may well be sorted, where the values show that they are few.
        if (walks === 1 && !name.includes("values")) assert.doesNotMatch(plan, /\bsort\b|temp b-tree/i);
        for (const each of plans) assert.doesNotMatch(each, /seq scan on messages|scan messages(?! using)/i);
      });
    }
    await t.test("moveWaiting reads no row that does not wait", async () => {
      const to = await makeGateway(explainer.store.database, accountId);
      const [plan] = await explainer.plans(moveToDefault, {
        from: gatewayId,
        to,
        contents: ["text"],
        limit: 10,
        at: now,
        detail: "",
      });
      assert.match(plan!, /messages_due/);
    });
  });
}

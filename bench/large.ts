// `node bench/large.ts sqlite 1200000`, `node bench/large.ts postgres 2000000`: the store's operations on a large database, called
// as the server calls them. The database was small when its statistics were taken, and is grown by SQL; see README.md beside this
// file. Stops by itself after 40 minutes at the latest, and leaves nothing behind.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { statuses } from "#contract/messages/channel.ts";
import type { Database, Operation } from "#store/database.ts";
import { storeChunk } from "#store/email/attachments.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { openSqlite } from "#store/engine/sqlite/sqlite.ts";
import { refreshStatistics } from "#store/engine/statistics.ts";
import { countWaiting, heartbeat } from "#store/lanes/lanes.ts";
import { deleteIdempotencyKeys, findOverdueLanes } from "#store/maintenance/overdue.ts";
import * as retention from "#store/maintenance/retention.ts";
import { beginAttempts, nextDue, readDue, settleMessages } from "#store/messages/attempts.ts";
import { storeSends } from "#store/messages/insert.ts";
import { findMessage, recentMessages } from "#store/messages/lookup.ts";
import { type SearchInput, searchMessages } from "#store/messages/search.ts";
import { deleteCalls } from "#store/pools/usage.ts";
import { readOutbox, storeFanOut } from "#store/webhooks/fan-out.ts";
import { startPostgres } from "../test/postgres.ts";
import { accountOf, gatewayOf, grow, id, now } from "../test/store/grown.ts";
import { sendOf } from "../test/store/rows.ts";

const [engine = "", count = ""] = process.argv.slice(2);
const messages = Number(count);
if ((engine !== "sqlite" && engine !== "postgres") || !(messages >= 10_000 && messages <= 5_000_000)) {
  console.error("usage: node bench/large.ts sqlite|postgres <messages: 10000 to 5000000>");
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));
setTimeout(() => process.exit(1), 40 * 60_000).unref();

interface Place {
  open(): Promise<Database>;
  /** Runs statements in one transaction, past the store. */
  run(statements: readonly string[]): Promise<void>;
}

async function placeOnSqlite(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-large-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "trunkline.db");
  return {
    open: () => openSqlite({ path }),
    run: async (statements) => {
      const raw = new DatabaseSync(path);
      for (const statement of ["begin", ...statements, "commit"]) raw.exec(statement);
      raw.close();
    },
  };
}

async function placeOnPostgres(): Promise<Place> {
  const { url } = await startPostgres();
  return {
    open: () => openPostgres({ url }),
    run: async (statements) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query("set search_path to trunkline");
      for (const statement of ["begin", ...statements, "commit"]) await client.query(statement);
      await client.end();
    },
  };
}

const place = await (engine === "sqlite" ? placeOnSqlite() : placeOnPostgres());
let database = await place.open();
// As after the first try of an installation.
await place.run([...grow(engine, 0, 10), "analyze"]);
await database.close();
const began = performance.now();
const step = 100_000;
for (let from = 10; from < messages; from += step)
  await place.run(grow(engine, from, Math.min(messages, from + step)));
console.log(
  `${engine}, ${messages.toLocaleString("en")} messages, made in ${Math.round((performance.now() - began) / 1000)} s\n`,
);

const rows: string[] = [];
async function measure(what: string, times: number, one: (i: number) => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) {
    const begun = performance.now();
    if ((await one(i)) === null) break;
    took.push(performance.now() - begun);
  }
  took.sort((a, b) => a - b);
  const at = (share: number) =>
    (took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? 0).toFixed(1);
  const { user, system } = process.cpuUsage(before);
  const cpu = ((user + system) / 1000 / Math.max(1, took.length)).toFixed(1);
  rows.push(`| ${what} | ${took.length} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${cpu} |`);
}
const ask = <I, O>(operation: Operation<I, O>, input: I): Promise<O> => database.run(operation, input);

/** Any number below, the same ones in every run. */
let state = 7;
const any = (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

await measure("start with the backlog: open the store", 1, async () => {
  database = await place.open();
});
await measure("the first beat", 1, () => ask(heartbeat, { processId: "prc_1", at: now }));
const bands = [0, 1, 2];
await measure("what is overdue, of all lanes", 3, () => ask(findOverdueLanes, { priorities: bands, now }));
await measure("what waits, of all lanes (metrics)", 3, () => ask(countWaiting, { priorities: bands, now }));
await measure("when a lane's next message is due", 100, (i) =>
  ask(nextDue, { laneId: gatewayOf((i % 4) * 10), priorities: bands, now }),
);
const byId = (i: number) => {
  const request = Math.floor(i / 10);
  const channel = request % 4 === 3 ? "email" : "sms";
  return ask(findMessage, { accountId: accountOf(request), channel, id: id("msg", i) });
};
await measure("a message by its id", 2000, () => byId(any(messages)));
const page = { channel: "sms", before: null, limit: 50 } as const;
const recent = (i: number, status: (typeof statuses)[number] | null) =>
  ask(recentMessages, { ...page, accountId: accountOf((i % 5) * 4), status });
await measure("the newest 50", 200, (i) => recent(i, null));
await measure("the newest 50 delivered", 200, (i) => recent(i, "delivered"));
await measure("the newest 50 suppressed: there are none", 200, (i) => recent(i, "suppressed"));
const search: SearchInput = {
  accountId: accountOf(0),
  channels: ["sms"],
  statuses: null,
  gatewayId: null,
  recipient: null,
  from: "msg_",
  before: "msg_~",
  acceptedFrom: null,
  acceptedBefore: null,
  limit: 51,
  maxScanned: 5000,
  bytes: 1_000_000,
};
await measure("search by recipient", 200, (i) =>
  ask(searchMessages, { ...search, recipient: `+15550${i * 10}` }),
);
await measure("search by gateway", 200, () => ask(searchMessages, { ...search, gatewayId: gatewayOf(0) }));
await measure("search by gateway and an absent status", 200, () =>
  ask(searchMessages, { ...search, gatewayId: gatewayOf(0), statuses: ["suppressed"] }),
);
await measure("search by time", 200, () => {
  // An hour or so among all of it; ids say when, as those of the server do.
  const first = any(messages - 10_000);
  const last = first + 10_000;
  const at = (number: number) => now - 40_000_000 + number * 10;
  return ask(searchMessages, {
    ...search,
    from: id("msg", first),
    before: id("msg", last),
    acceptedFrom: at(first),
    acceptedBefore: at(last),
  });
});

await measure("a single send", 500, (i) =>
  ask(
    storeSends,
    sendOf(accountOf(0), gatewayOf(0), {
      requestId: `req_new${i}`,
      each: { id: `msg_2${String(i).padStart(7, "0")}` },
    }),
  ),
);
let after: { dueAt: number; id: string } | null = null;
await measure("64 messages: read when due, stamped, settled", 100, async () => {
  const due = await ask(readDue, { laneId: gatewayOf(0), priority: 0, now, after, limit: 64 });
  if (due.length === 0) return null;
  const ids = due.map((row) => row.id);
  after = { dueAt: due.at(-1)!.due_at, id: ids.at(-1)! };
  const lane = { laneId: gatewayOf(0), fence: 1 };
  await ask(beginAttempts, { ...lane, ids, at: now, lateBefore: 0, day: null });
  const settled = { ...lane, attempt: 1, step: "accepted" as const, parts: null, receipt: null };
  return await Promise.all(
    ids.map((one) =>
      ask(settleMessages, { ...settled, id: one, details: { at: now, detail: "", reference: `r${one}` } }),
    ),
  );
});
await measure("a page of the outbox, sent to one endpoint each", 100, async (i) => {
  const { events: outboxEvents, steps } = await ask(readOutbox, { limit: 500 });
  if (steps.length === 0) return null;
  const events = outboxEvents.map(({ message, data: _data, ...event }) => ({
    ...event,
    id: `${event.id}${i}`,
    body: "{}",
    endpoints: [id("whe", 0)],
  }));
  return await ask(storeFanOut, { at: now, steps, events });
});
let refreshed: string | null = null;
await measure("statistics, a step", 100, async () => {
  refreshed = await ask(refreshStatistics, { after: refreshed });
  return refreshed;
});

/** Batches as maintenance makes them, with sends of 1 message beside them: each write waits for a batch. */
async function batches(what: string, times: number, one: () => Promise<unknown>): Promise<void> {
  const sends: number[] = [];
  let ended = false;
  const sending = (async () => {
    while (!ended) {
      const begun = performance.now();
      await ask(storeChunk, {
        id: `att_${what}${sends.length}`,
        accountId: null,
        seq: 0,
        content: "",
        at: now,
      });
      sends.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await measure(`${what}, a batch`, times, one);
  ended = true;
  await sending;
  sends.sort((a, b) => a - b);
  rows.push(
    `| another write meanwhile | ${sends.length} | ${sends[Math.floor(sends.length / 2)]!.toFixed(1)} | ${sends[Math.floor(sends.length * 0.99)]!.toFixed(1)} | ${sends.at(-1)!.toFixed(1)} | |`,
  );
}
const places = new Map<string, string>();
const removal = (what: string, one: (after: string) => Promise<retention.DeletionStep>) =>
  batches(what, 40, async () => {
    const { next } = await one(places.get(what) ?? "");
    places.set(what, next ?? "");
    return next;
  });
const limit = 500;
await removal("messages removed", (from) =>
  ask(retention.deleteMessages, { after: from, before: "msg_~", unchangedSince: now, limit }),
);
await removal("inbound messages removed", () => ask(retention.deleteInbound, { before: "in_~", limit }));
await removal("unmatched receipts removed", (from) =>
  ask(retention.deleteUnmatchedReceipts, { after: from, before: now, limit }),
);
await removal("webhook events removed", (from) =>
  ask(retention.deleteWebhookEvents, { after: from, before: now, limit }),
);
await removal("audit entries removed", () => ask(retention.deleteAuditEntries, { before: "aud_~", limit }));
await batches("AI calls removed", 40, () => ask(deleteCalls, { before: "req_~", limit }));
await batches("idempotency keys forgotten", 40, () => ask(deleteIdempotencyKeys, { before: now, limit }));
await database.close();

console.log(
  "| what | times | p50, ms | p99, ms | most, ms | CPU of this process each, ms |\n|---|---|---|---|---|---|",
);
for (const row of rows) console.log(row);
process.exit(0);

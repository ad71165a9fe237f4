// The upkeep: late messages end on lanes that do not send, what is old goes and what is pending stays; its work in one
// turn is bounded, and leaves room between its batches.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type MaintenanceDeps, openMaintenance, runMaintenance } from "#maintenance/maintenance.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { Database } from "#store/database.ts";
import { holdPending, releaseHeld } from "#store/maintenance/restore-hold.ts";
import { listCalls, recordUsage } from "#store/pools/usage.ts";
import { readUsage } from "#store/pools/usage-groups.ts";
import { type Harness, type HarnessOptions, harness, someEngines } from "../harness.ts";
import { memoryLog } from "../log.ts";
import { provider, takes } from "../scenarios/provider.ts";
import { anyCall, callRow, makePool } from "../store/pool-rows.ts";

const hour = 3_600_000;
const day = 24 * hour;
const contact = (i: number) => ({ number: `+49151234${10_000 + i}`, message: "Hi" });
const keep = { messagesMs: day, webhooksMs: day, auditMs: day, usageMs: day, deferredMs: day };

async function running(options: HarnessOptions, body: (it: Harness) => Promise<void>) {
  const it = await harness({ respond: takes, ...options });
  try {
    await it.account({ plan: { name: "basic", credit: { sms: 10 } } });
    await it.gateway({ identifier: "main", ...provider });
    await body(it);
  } finally {
    await it.close();
  }
}

const there = async (it: Harness, ids: string[]) => {
  const replies = await Promise.all(ids.map((id) => it.get(`/api/get/sms/${id}`)));
  return replies.map(({ statusCode }) => statusCode === 200);
};

for (const engine of someEngines(import.meta.filename)) {
  describe(engine, () => {
    test("messages that ended go a day after their last change; those that wait stay, and go after their own end", () =>
      running({ engine, settings: { retention: keep } }, async (it) => {
        const ids = await it.accepted([contact(1), { ...contact(2), schedule_at: "2026-01-03 00:00:00" }]);
        await it.advance(day - 1);
        assert.deepEqual(await there(it, ids), [true, true]);
        await it.advance(2 * hour);
        assert.deepEqual(await there(it, ids), [false, true]);
        await it.advance(day);
        assert.equal((await it.message(ids[1]!)).status, "sent");
        await it.advance(day - 4 * hour);
        assert.deepEqual(await there(it, ids), [false, true]);
        await it.advance(5 * hour);
        assert.deepEqual(await there(it, ids), [false, false]);
      }));

    test("AI calls go after their time; the sums of their days stay", () =>
      running({ engine, settings: { retention: keep } }, async (it) => {
        const { database, core } = it.system;
        const pool = await makePool(database);
        const made: string[] = [];
        const call = async () => {
          const id = core.newId("req");
          made.push(id);
          await database.run(recordUsage, [callRow(pool, { id, at: it.clock.now(), day: "2026-01-01" })]);
        };
        await call();
        await it.advance(2 * hour);
        await call();
        const there = async () => {
          const asked = { ...pool, ...anyCall, before: null, limit: 10, maxScanned: 10 };
          return (await database.run(listCalls, asked)).rows.map(({ id }) => id);
        };
        await it.advance(day - 3 * hour);
        assert.deepEqual(await there(), made.toReversed());
        await it.advance(2 * hour);
        assert.deepEqual(await there(), [made[1]]);
        const asked = { ...pool, from: "2026-01-01", to: "2026-01-01", by: "day" as const };
        assert.equal((await database.run(readUsage, asked))[0]?.requests, 2);
      }));

    test("without a setting nothing is removed", () =>
      running({ engine }, async (it) => {
        const ids = await it.accepted([contact(1)]);
        await it.advance(3 * day);
        assert.deepEqual(await there(it, ids), [true]);
      }));

    test("messages that wait for a switched-off gateway expire after the account's window, and cost nothing", () =>
      running({ engine }, async (it) => {
        await it.gateway({ identifier: "off", kind: "http-api", settings: provider.settings });
        const named = { ...contact(1), gateway_identifier: "off", schedule_at: "2026-01-01 01:00:00" };
        const ids = await it.accepted([named]);
        await it.gateway({ identifier: "off", kind: "http-api", settings: provider.settings, active: false });
        await it.advance(73 * hour);
        assert.equal((await it.message(ids[0]!)).status, "scheduled");
        await it.advance(hour);
        const record = await it.message(ids[0]!);
        assert.deepEqual([record.status, record.error?.code], ["expired", "too_late"]);
        assert.equal((await it.get("/api/account")).json().data.credit.sms.remaining, 10);
        assert.equal(it.requests.length, 0);
      }));
  });
}

test("nothing is removed while something is held", () =>
  running({ settings: { retention: keep } }, async (it) => {
    const [id] = await it.accepted([contact(1)]);
    await it.accepted([{ ...contact(2), schedule_at: "2026-01-01 03:00:00" }]);
    await it.settle();
    const { database } = it.system;
    while (!(await database.run(holdPending, { at: it.clock.now(), limit: 10 })));
    await it.advance(2 * day);
    assert.deepEqual(await there(it, [id!]), [true]);
    await database.run(releaseHeld, { at: it.clock.now(), limit: 10, detail: "" });
    await it.advance(2 * hour);
    assert.deepEqual(await there(it, [id!]), [false]);
  }));

/** A database whose every batch is a full one, and what it was asked. */
function endless(clock: ReturnType<typeof movableClock>) {
  const asked: { name: string; at: number }[] = [];
  const database: Database = {
    engine: "sqlite",
    run: async (operation) => {
      asked.push({ name: operation.name, at: clock.monotonic() });
      const full: Record<string, unknown> = {
        findOverdueLanes: [{ laneId: "gw_1", lateBefore: 1 }],
        expireOverdue: 500,
        settlePartlyDelivered: 500,
        cancelKeyless: 50,
        deleteIdempotencyKeys: 500,
        deleteExpiredAnswers: 50,
        deleteExpiredSignatures: 500,
        deleteReplyWindows: 500,
        deleteSenderNames: 500,
        deleteSoftBounces: 500,
        deleteSpreadChoices: 500,
        deleteMessageCounts: 500,
        deletePauses: 500,
        deleteCalls: 500,
        deleteUsageSums: 500,
        readRestoreHold: null,
        refreshStatistics: "a step",
        deleteExpiredSessions: undefined,
        findUnboundFiles: ["att_1"],
        deleteUnboundFile: false,
        deleteOldContents: { deleted: 50, next: `pool_${asked.length}` },
        findUnneededFiles: { unneeded: [], next: `after ${asked.length}` },
      };
      return (
        operation.name in full ? full[operation.name] : { removed: 500, next: `after ${asked.length}` }
      ) as never;
    },
    onChanges: () => () => {},
    notify: () => {},
    onNotify: () => {},
    close: async () => {},
  };
  return { database, asked };
}

function depsOf(clock: ReturnType<typeof movableClock>, database: Database): MaintenanceDeps {
  return { database, clock, log: memoryLog(), retention: keep, intervalMs: 60_000 };
}

test("a turn does at most a hundred batches of a kind, with a pause after each, and goes on there in the next", async () => {
  const clock = movableClock();
  const { database, asked } = endless(clock);
  const deps = depsOf(clock, database);
  const places = new Map();
  let ended = false;
  const turn = runMaintenance(deps, places, new AbortController().signal).then(() => {
    ended = true;
  });
  await clock.advance(60_000);
  await turn;
  assert.ok(ended);
  const counts = new Map<string, number>();
  for (const { name } of asked) counts.set(name, (counts.get(name) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries(counts), {
    refreshStatistics: 100,
    findOverdueLanes: 1,
    expireOverdue: 100,
    settlePartlyDelivered: 100,
    cancelKeyless: 100,
    deleteIdempotencyKeys: 100,
    deleteExpiredAnswers: 100,
    deleteExpiredSignatures: 100,
    deleteReplyWindows: 100,
    deleteSenderNames: 100,
    deleteSpreadChoices: 100,
    deleteSoftBounces: 100,
    // Those of minutes, of hours, and of endpoints' hours.
    deleteMessageCounts: 300,
    deletePauses: 100,
    deleteExpiredSessions: 1,
    readRestoreHold: 1,
    findUnboundFiles: 1,
    deleteUnboundFile: 100,
    findUnneededFiles: 100,
    deleteMessages: 100,
    deleteInbound: 100,
    deleteUnmatchedReceipts: 100,
    deleteWebhookEvents: 100,
    deleteAuditEntries: 100,
    deleteCalls: 100,
    deleteOldContents: 100,
    deleteDeferred: 100,
    deleteUsageSums: 100,
  });
  const batches = asked.filter(({ name }) => counts.get(name) === 100);
  for (const [i, { at }] of batches.entries()) if (i > 0) assert.ok(at - batches[i - 1]!.at >= 20, "a pause");
  assert.match(places.get("messages").after, /^after \d+$/);
});

test("statistics are refreshed at the start and then every hour, step by step until no step is left", async () => {
  const clock = movableClock();
  const asked: { after: unknown; at: number }[] = [];
  const database: Database = {
    engine: "sqlite",
    run: async (operation, input) => {
      if (operation.name !== "refreshStatistics")
        return (operation.name.startsWith("find") ? [] : 0) as never;
      const { after } = input as { after: string | null };
      asked.push({ after, at: clock.monotonic() });
      return (after === null ? "first" : after === "first" ? "second" : null) as never;
    },
    onChanges: () => () => {},
    notify: () => {},
    onNotify: () => {},
    close: async () => {},
  };
  const lane = openMaintenance(depsOf(clock, database), { id: "maintenance", fence: 1 });
  await clock.advance(59 * 60_000);
  assert.deepEqual(
    asked.map(({ after }) => after),
    [null, "first", "second"],
  );
  await clock.advance(61 * 60_000);
  assert.equal(asked.length, 6);
  assert.ok(asked[3]!.at - asked[0]!.at >= hour);
  await lane.stop();
});

test("a removal that keeps the writer for long is followed by smaller ones, and by larger ones again when it is quick", async () => {
  const clock = movableClock();
  const limits: number[] = [];
  const database: Database = {
    ...endless(clock).database,
    run: async (operation, input) => {
      const nothing: Record<string, unknown> = {
        findOverdueLanes: [],
        findUnboundFiles: [],
        deleteOldContents: { deleted: 0, next: null },
        findUnneededFiles: { unneeded: [], next: null },
        deleteCalls: 0,
        refreshStatistics: null,
        readRestoreHold: null,
      };
      if (operation.name !== "deleteMessages")
        return (operation.name in nothing ? nothing[operation.name] : { removed: 0, next: null }) as never;
      const { limit } = input as { limit: number };
      limits.push(limit);
      await clock.sleep(limits.length <= 5 ? 200 : 5);
      return { removed: limit, next: limits.length === 11 ? null : "further" } as never;
    },
  };
  const turn = runMaintenance(depsOf(clock, database), new Map(), new AbortController().signal);
  await clock.advance(60_000);
  await turn;
  assert.deepEqual(limits, [500, 250, 125, 62, 50, 50, 100, 200, 400, 500, 500]);
});

test("it stops between two batches, and a turn that fails is not the last", async () => {
  const clock = movableClock();
  const { database, asked } = endless(clock);
  const lane = openMaintenance(depsOf(clock, database), { id: "maintenance", fence: 1 });
  await clock.advance(50);
  const before = asked.length;
  await lane.stop();
  await clock.advance(600_000);
  assert.equal(asked.length, before);

  let tries = 0;
  const broken: Database = {
    ...database,
    run: async () => {
      tries += 1;
      throw new Error("no storage");
    },
  };
  const deps = depsOf(clock, broken);
  const second = openMaintenance(deps, { id: "maintenance", fence: 2 });
  await clock.advance(180_000);
  assert.equal(tries, 4);
  await second.stop();
});

// What each row of the retention policy removes: the operation, the limit of age that it gets, and how it goes on.

import assert from "node:assert/strict";
import test from "node:test";
import { type RetentionPolicy, removals } from "#maintenance/removals.ts";
import { idAt } from "#runtime/ids.ts";
import type { Database } from "#store/database.ts";

const before = Date.parse("2026-03-01T12:00:00Z");
const scan = { after: "x", limit: 7 };

const expected: Readonly<Record<string, [age: keyof RetentionPolicy, operation: string, input: object]>> = {
  messages: [
    "messagesMs",
    "deleteMessages",
    { ...scan, before: idAt("msg", before), unchangedSince: before },
  ],
  "inbound messages": ["messagesMs", "deleteInbound", { before: idAt("in", before), limit: 7 }],
  "unmatched receipts": ["messagesMs", "deleteUnmatchedReceipts", { ...scan, before }],
  "webhook events": ["webhooksMs", "deleteWebhookEvents", { ...scan, before }],
  "audit entries": ["auditMs", "deleteAuditEntries", { before: idAt("aud", before), limit: 7 }],
  "AI calls": ["usageMs", "deleteCalls", { before: idAt("req", before), limit: 7 }],
  "deferred completions": [
    "deferredMs",
    "deleteDeferred",
    { ...scan, before: idAt("cmp", before), endedBefore: before },
  ],
  "sums of AI usage": ["usageMs", "deleteUsageSums", { before: "2026-03-01", limit: 7 }],
};

function answering(result: unknown) {
  const asked: [string, unknown][] = [];
  const database = {
    run: async ({ name }: { name: string }, input: unknown) => {
      asked.push([name, input]);
      return result;
    },
  } as unknown as Database;
  return { asked, database };
}

test("each kind of rows is removed by its operation, with its limit of age", async () => {
  assert.deepEqual(
    removals.map(({ what }) => what),
    Object.keys(expected),
  );
  for (const { what, age, run } of removals) {
    const { asked, database } = answering({ deleted: 1, next: null });
    await run(database, { before, ...scan });
    assert.deepEqual([age, ...asked.flat()], expected[what], what);
  }
});

test("an operation that counts goes on after a full batch, one with a step as the step says", async () => {
  const [removal] = removals;
  for (const [result, step] of [
    [7, { deleted: 7, next: "" }],
    [6, { deleted: 6, next: null }],
    [
      { deleted: 2, next: "y" },
      { deleted: 2, next: "y" },
    ],
  ] as const)
    assert.deepEqual(await removal?.run(answering(result).database, { before, ...scan }), step);
});

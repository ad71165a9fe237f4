// What ends or is deleted by its age alone: each sweep's operation, input and size.

import assert from "node:assert/strict";
import test from "node:test";
import { sweeps } from "#maintenance/sweeps.ts";
import type { Database } from "#store/database.ts";

const now = 1_000_000_000_000;
const at = now + 5;
const hourMs = 3_600_000;

test("each sweep asks for rows as old as it may delete, by the clock that it needs", async () => {
  const asked: [string, unknown][] = [];
  const database = {
    run: async ({ name }: { name: string }, input: unknown) => {
      asked.push([name, input]);
      return 3;
    },
  } as unknown as Database;
  for (const { limit, run } of sweeps) assert.equal(await run(database, { now, at, limit }), 3);
  const inputs = new Map(asked);
  assert.deepEqual(inputs.get("settlePartlyDelivered"), { kinds: ["smpp"], at, limit: 500 });
  assert.deepEqual(inputs.get("cancelKeyless"), { poolId: null, at, limit: 50 });
  assert.deepEqual(inputs.get("deleteExpiredAnswers"), { now, limit: 50 });
  assert.deepEqual(inputs.get("deleteExpiredSignatures"), { now, limit: 500 });
  const steps = asked
    .filter(([name]) => name === "deleteMessageCounts")
    .map(([, input]) => input as { step: string });
  assert.deepEqual(
    steps.map(({ step }) => step),
    ["minute", "hour", "endpoint_hour"],
  );
  for (const [name, input] of asked) {
    const { before = now - hourMs } = input as { before?: number };
    assert.ok(before <= now - hourMs && before > 0, name);
  }
});

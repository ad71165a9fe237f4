// What waits on the gateways' lanes, as the metrics show it.

import assert from "node:assert/strict";
import test from "node:test";
import { readLoad } from "#maintenance/load.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { Database } from "#store/database.ts";

test("ages are in seconds, never below zero, and zero where nothing waits", async () => {
  const clock = movableClock();
  const counts = [
    { identifier: "a", waiting: 2, oldest: clock.now() - 1_500, paused: 1, connected: 0 },
    { identifier: "b", waiting: 1, oldest: clock.now() + 1_500, paused: 0, connected: 1 },
    { identifier: "c", waiting: 0, oldest: null, paused: 0, connected: null },
  ];
  const database = { run: async () => counts } as unknown as Database;
  assert.deepEqual(await readLoad({ clock, database }), [
    { gateway: "a", waiting: 2, oldestSeconds: 1.5, paused: true, connected: false },
    { gateway: "b", waiting: 1, oldestSeconds: 0, paused: false, connected: true },
    { gateway: "c", waiting: 0, oldestSeconds: 0, paused: false, connected: null },
  ]);
});

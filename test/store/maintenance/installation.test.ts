// What operators see of the installation: its size, its processes and what they own, and whose messages are held.

import assert from "node:assert/strict";
import test from "node:test";
import { claimLanes, ensureLane, heartbeat } from "#store/lanes/lanes.ts";
import { countHeldByAccount, listProcesses, readDatabaseSize } from "#store/maintenance/installation.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, now } from "../rows.ts";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);

  test("the database has a size", async () => {
    assert.ok((await run(readDatabaseSize, null)) > 4_096);
  });

  test("each process is listed with when it started and how many lanes it owns", async () => {
    const [first, second] = [fresh("prc"), fresh("prc")];
    await run(heartbeat, { processId: second, at: now + 1 });
    await run(heartbeat, { processId: first, at: now });
    await run(heartbeat, { processId: first, at: now + 2 });
    const id = fresh("lane");
    await run(ensureLane, { id, kind: "maintenance" });
    await run(claimLanes, { processId: first, lanes: [{ id, owner: null, fence: 0 }] });
    const known = (await run(listProcesses, null)).filter(({ id: each }) => [first, second].includes(each));
    assert.deepEqual(known, [
      { id: first, started_at: now, lanes: 1 },
      { id: second, started_at: now + 1, lanes: 0 },
    ]);
  });

  test("without a hold no account has held messages", async () => {
    assert.deepEqual(await run(countHeldByAccount, null), []);
  });
});

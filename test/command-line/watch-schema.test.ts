// A running release notices that a newer one has migrated the database: it goes on, or it ends.

import assert from "node:assert/strict";
import test from "node:test";
import { watchSchema } from "#command-line/watch-schema.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { Database } from "#store/database.ts";
import type { SchemaState } from "#store/schema/migrate.ts";
import { memoryLog } from "../log.ts";

test("one line for a newer schema that it may run on, and an end for one that it may not; an outage is neither", async () => {
  const cases: [states: (SchemaState | null)[], events: string[], ends: boolean][] = [
    [
      [
        { newest: 5, oldest: null },
        { newest: 5, oldest: 5 },
      ],
      [],
      false,
    ],
    [
      [
        { newest: 5, oldest: 4 },
        { newest: 6, oldest: 5 },
        { newest: 6, oldest: 5 },
      ],
      ["schema.newer"],
      false,
    ],
    [[{ newest: 6, oldest: 5 }, null, { newest: 7, oldest: 5 }], ["schema.newer", "schema.newer"], false],
    [[{ newest: 6, oldest: 5 }, null, { newest: 7, oldest: 7 }], ["schema.newer", "schema.unreadable"], true],
    [[{ newest: 6, oldest: null }], ["schema.unreadable"], true],
  ];
  for (const [states, events, ends] of cases) {
    const clock = movableClock();
    const log = memoryLog("info");
    const left = [...states];
    let ended = false;
    const stopping = new AbortController();
    const run = async () => {
      const state = left.shift();
      if (left.length === 0 && !ends) stopping.abort();
      if (state === null) throw new Error("an outage");
      return state;
    };
    const database = { run } as unknown as Pick<Database, "run">;
    const watched = watchSchema(
      { clock, log, database },
      stopping.signal,
      () => {
        ended = true;
      },
      5,
    );
    for (const _ of states) await clock.advance(15_000);
    await watched;
    const words = JSON.stringify(states);
    assert.deepEqual(
      log.lines().map(({ event }) => event),
      events,
      words,
    );
    assert.equal(ended, ends, words);
  }
});

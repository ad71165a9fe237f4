// The short attacks: real processes, and the whole table with small counts. Asserted is what does not depend on who else
// works on the machine: statuses, counts, that the process lives, what it holds, and how long it worked, where the
// faults that these attacks once found made it work for minutes. The long ones: `npm run test:attacks`.

import assert from "node:assert/strict";
import test, { after, describe } from "node:test";
import { memoryMib } from "../process-memory.ts";
import { share } from "../runner/share.ts";
import { play } from "./play.ts";
import { openStage, type Stage } from "./stage.ts";
import { attacks, enginesOf } from "./table.ts";

/** What each attack costs the process is under 3 s. */
const bounds = { sendP99Ms: Number.POSITIVE_INFINITY, cpuSeconds: 25 };
/** A process that kept more than this of what it held has to make room for a new one: attacks are judged one by one. */
const keptMib = 300;

/** What these attacks are aimed at. A change of it plays them all. */
const about = ["src/http/", "src/runtime/", "src/identity/", "test/attacks/"];

/** Whether the next attack can be played on it. */
function isFresh(stage: Stage): boolean {
  return stage.ended() === null && (memoryMib(stage.server.pid, "VmRSS") ?? 0) < keptMib;
}

for (const engine of ["sqlite", "postgres"] as const) {
  describe(engine, () => {
    let stage: Stage | null = null;
    after(async () => {
      await stage?.close();
    });
    const playable = attacks.filter((each) => each.short && enginesOf(each).includes(engine));
    for (const attack of share(`attacks on ${engine}`, about, playable)) {
      test(`${attack.family}: ${attack.name}`, async (t) => {
        if (stage === null || !isFresh(stage)) {
          await stage?.close();
          stage = await openStage(engine);
        }
        const options = { size: "short", bounds, everyMs: 100, minMs: 0, limitMs: 150_000 } as const;
        const { broke, inputs, seen, peakMib, cpuSeconds } = await play(attack, stage, options);
        t.diagnostic(
          `${inputs} inputs: ${seen}; peak ${peakMib?.toFixed(0)} MiB, worked ${cpuSeconds?.toFixed(1)} s`,
        );
        assert.deepEqual(broke, [], attack.expected);
      });
    }
  });
}

// The short attacks: real processes, one for each family and engine, and the whole table with small counts. Asserted is what does
// not depend on the machine: statuses, counts, that the process lives, what it holds, and that it never stands still for
// seconds where a fault made it stand still for minutes. The long ones: `npm run test:attacks`.

import assert from "node:assert/strict";
import test, { after, describe } from "node:test";
import { countsText } from "./attack.ts";
import { play } from "./play.ts";
import { openStage, type Stage } from "./stage.ts";
import { attacks, enginesOf } from "./table.ts";

/** No promise of ours, but far below what each fault took, and far above what a busy machine adds. */
const bounds = { sendP99Ms: 20_000, liveMaxMs: 10_000 };

for (const engine of ["sqlite", "postgres"] as const) {
  describe(engine, () => {
    let stage: Stage | null = null;
    let family = "";
    after(async () => {
      await stage?.close();
    });
    for (const attack of attacks.filter((each) => each.short && enginesOf(each).includes(engine))) {
      test(`${attack.family}: ${attack.name}`, async (t) => {
        // A new one for each family, and behind an attack that ended it: what one attack left in memory is not to be
        // counted for the next, and one fault is not to look like many.
        if (stage === null || stage.ended() !== null || family !== attack.family) {
          await stage?.close();
          stage = await openStage(engine);
          family = attack.family;
        }
        const options = { size: "short", bounds, everyMs: 100, leastMs: 0, limitMs: 90_000 } as const;
        const { broke, inputs, seen, peakMib } = await play(attack, stage, options);
        t.diagnostic(`${inputs} inputs: ${seen}; peak ${peakMib === null ? "?" : Math.round(peakMib)} MiB`);
        assert.deepEqual(broke, [], `${attack.expected}; seen: ${countsText(new Map([[seen, inputs]]))}`);
      });
    }
  });
}

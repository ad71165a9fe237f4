// Loaded before every file of `npm test`. Property tests draw the same values in every run, so that a run repeats
// exactly; a file run by hand draws new ones, and prints the seed of what it finds. A process that something still
// holds up after its last test ends in seconds, and has failed.

import { after } from "node:test";
import fc from "fast-check";

/** What the last test and the hooks of its file close may take this long, on a slow and busy machine too. */
const graceMs = 20_000;

fc.configureGlobal({ seed: 20_261_121 });

/** Not in the process of `node --test` that only starts others. */
const runsTests =
  process.env.NODE_TEST_CONTEXT !== undefined || process.execArgv.includes("--test-isolation=none");

/**
 * A test that fails does not come to the lines that close its system, whose threads and sockets then keep the process
 * alive. The timer itself does not.
 */
if (runsTests)
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(", ");
      console.error(`Still open ${graceMs / 1000} s after the last test, which fails its file: ${open}.`);
      process.exitCode = 1;
      // The runner writes its report when the event loop is empty, which it would never be.
      process.emit("beforeExit", 1);
      setTimeout(() => process.exit(1), 500);
    }, graceMs).unref();
  });

// A process that runs test files one after another, as the runner hands them out. Loading the sources costs more than
// most files' tests, so a process loads them once for many files. Each file is a suite of its own: its hooks at the top
// level run before and after its tests alone.

import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import type { NextFile, Ready } from "./messages.ts";
import { reportedFiles } from "./reporter.ts";

/** What the last tests and hooks close may take this long, on a slow and busy machine too. */
const graceMs = 20_000;

// Property tests draw the same values in every `npm test`, so that a run repeats exactly; a file run by hand draws new
// ones, and prints the seed of what it finds.
fc.configureGlobal({ seed: 20_261_121 });

// While it listens, the process stays alive: a test may wait for something that would not keep it.
let take: (file: string | null) => void = () => {};
process.on("message", ({ file }: NextFile) => take(file));

const nextFile = (): Promise<string | null> =>
  new Promise((resolve) => {
    take = resolve;
    process.send?.({ kind: "ready" } satisfies Ready);
  });

/** Resolves when every test and hook of the file has run and is reported. A file that cannot be loaded fails its suite. */
async function run(file: string): Promise<void> {
  const ended = once(reportedFiles, file);
  void describe(file, async () => {
    await import(pathToFileURL(file).href);
  });
  await ended;
}

/** Node keeps every module that it has loaded, and tests leave things behind; beyond this a new process is cheaper. */
const maxRssBytes = 1024 * 1024 * 1024;

for (let file = await nextFile(); file !== null; file = await nextFile()) {
  await run(file);
  // So that what this process compiled serves the next one, and the processes that tests start.
  flushCompileCache();
  if (process.memoryUsage.rss() > maxRssBytes) break;
}
process.disconnect?.();
// A test that fails does not come to the lines that close its system, whose threads and sockets then keep the process
// alive. The timer itself does not.
setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(", ");
  console.error(`Still open ${graceMs / 1000} s after the last test, which fails its file: ${open}.`);
  process.exitCode = 1;
  // The report is written when the event loop is empty, which it would never be.
  process.emit("beforeExit", 1);
  setTimeout(() => process.exit(1), 500);
}, graceMs).unref();

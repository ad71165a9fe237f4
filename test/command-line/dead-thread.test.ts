// A thread of the database that dies ends the process, so that a supervisor starts it again. In processes, since that is
// what ends.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort, startServer } from "../faults/server.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-dead-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Loaded before the service: SIGUSR2 ends the thread of that name, as running out of memory would. */
const killer = (name: string) =>
  `data:text/javascript,${encodeURIComponent(`
    import threads from "node:worker_threads";
    import { syncBuiltinESMExports } from "node:module";
    const { Worker } = threads;
    threads.Worker = class extends Worker {
      constructor(file, options) {
        super(file, options);
        if (options?.name === ${JSON.stringify(name)}) process.on("SIGUSR2", () => this.terminate());
      }
    };
    syncBuiltinESMExports();
  `)}`;

for (const name of ["sqlite-write", "sqlite-read"])
  test(`the process ends with code 1 and a line when ${name} dies`, async () => {
    const { signal, ended, tail } = await startServer({
      port: await freePort(),
      logFile: join(folder, `${name}.log`),
      env: { TRUNKLINE_DATA_DIR: join(folder, name), NODE_OPTIONS: `--import=${killer(name)}` },
    });
    signal("SIGUSR2");
    assert.deepEqual(await ended, { code: 1, signal: null });
    assert.match(tail(), /"level":"error".*"event":"storage.thread_died".*The process ends\./);
  });

// A process whose log nothing reads. It logs as many lines of 1 kB as it is asked to, and tells its parent that it goes on.

import { createLog } from "#runtime/log/log.ts";

const log = createLog({ level: "info" });
const filler = "x".repeat(1_000);

process.once("message", (lines: number) => {
  for (let count = 0; count < lines; count++) log.info({ event: "filler", count, filler }, "Filler.");
  // The listener kept the process alive.
  process.send?.("logged");
});

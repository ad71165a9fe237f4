// The entry of the command `trunkline`.

import { isServe, runCommand } from "#command-line/run.ts";
import { ownTerminal } from "#command-line/terminal.ts";
import { tooOldNode } from "#runtime/program.ts";

// An older Node would fail later, over the first of its modules that is missing.
const fault = tooOldNode();
if (fault !== null) {
  process.stderr.write(`trunkline: ${fault}\n`);
  process.exit(1);
}

const words = process.argv.slice(2);
// The reader of a pipe, such as `head`, has read enough.
if (!isServe(words))
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
const code = await runCommand(words, ownTerminal());
// A failed start may leave a database open, which would keep the process running. Its output is flushed first.
if (code !== 0) process.stdout.write("", () => process.exit(code));

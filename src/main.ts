// The entry of the command `trunkline`.

import { runCommand } from "#command-line/program.ts";

await runCommand(process.argv.slice(2));

// The command line: `serve` (default) runs the service, `key ACCOUNT` gives an account a new API key.

import { fail, renewKey, serve } from "./commands.ts";
import { environment, readConfig } from "./config.ts";

const usage = `Usage: npm start                  run the service
       npm start -- key ACCOUNT   give an account a new API key (on SQLite: while the service is stopped)
Settings come from TRUNKLINE_ variables; see docs/reference/configuration.md.
`;

const [command = "serve", ...rest] = process.argv.slice(2);
const read = readConfig();
if ("faults" in read) fail(read.faults);
try {
  if (command === "serve" && rest.length === 0) await serve(read.config, environment);
  else if (command === "key" && rest.length === 1) await renewKey(read.config, rest[0]!);
  else {
    process.stdout.write(usage);
    process.exit(command === "help" || command === "--help" ? 0 : 2);
  }
} catch (error) {
  fail([error instanceof Error ? error.message : String(error)]);
}

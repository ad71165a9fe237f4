// What this program is called: its version, from where the release writes it, and its commands, for sentences that ask for one. A
// clone has npm's scripts, the package and the image have the command `trunkline`.

import { readFileSync } from "node:fs";

/** As `package.json` has it. */
export const version: string = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version;

/** Node's flag that the scripts of a clone give, and the command `trunkline` does not. */
const flagOfScripts = "--env-file-if-exists=.env";

/** Commands that have a script of their own in a clone. */
const scripts: Readonly<Record<string, string>> = {
  backup: "npm run backup --",
  "install-whatsapp": "npm run whatsapp:install",
};

/** `words`: a command with its arguments, such as `key ACCOUNT`; empty: the service itself. `flags`: Node's. */
export function commandWords(words: string, flags: readonly string[] = process.execArgv): string {
  if (!flags.includes(flagOfScripts)) return `trunkline ${words}`.trimEnd();
  const [command = "", ...rest] = words.split(" ");
  if (command === "") return "npm start";
  return [scripts[command] ?? `npm start -- ${command}`, ...rest].join(" ");
}

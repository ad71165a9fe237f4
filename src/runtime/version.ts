// The version of this code, from where the release writes it.

import { readFileSync } from "node:fs";

/** As `package.json` has it. */
export const version: string = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version;

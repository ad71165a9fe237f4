// The settings of this machine's installation.

import { type Config, environment, readConfig } from "#config.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { fail } from "./output.ts";

function allowListProblem(text: string): string | null {
  try {
    readAllowList(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The settings, or everything that is wrong in them. */
export const readSettings = () => readConfig(environment, { OUTBOUND_ALLOW: allowListProblem });

/** The settings. Ends with everything that is wrong in them. */
export function configured(): Config {
  const read = readSettings();
  if ("errors" in read) fail(read.errors);
  return read.config;
}

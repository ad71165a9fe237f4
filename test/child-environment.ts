// What a child that a test starts runs, and its environment: the bundle, as users start it, with compiled code kept between
// starts. A start of the service takes 0.7 s of CPU so (from the sources 1.8 s, and 3.7 s without compiled code).

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isBundled, programFile } from "../bin/program.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
let program: string | null = null;

/** The file that Node runs for the service and its commands. Builds the bundle if it is out of date (1.5 s). */
export function serviceProgram(): string {
  if (program === null) {
    if (!isBundled(root))
      spawnSync(process.execPath, [`${root}scripts/build-service.mjs`], {
        stdio: ["ignore", "ignore", "inherit"],
      });
    program = programFile(root);
  }
  return program;
}

/**
 * The folder of compiled code: the runner's, or the same one for a file run by hand. It is below `node_modules`, since
 * Node runs what it finds there. Node looks entries up by path and checks them against the source.
 */
export const compileCache =
  process.env.NODE_COMPILE_CACHE ||
  fileURLToPath(new URL("../node_modules/.cache/trunkline-tests", import.meta.url));

/** Nothing of this process's environment but the search path, the compile cache, and these variables. */
export function childEnvironment(variables: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: compileCache, ...variables };
}

/** Flags of Node with which a service keeps its compiled code although the test will kill it. */
export const keepCompiled = ["--import", new URL("./keep-compiled.mjs", import.meta.url).href] as const;

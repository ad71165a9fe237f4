// SIGHUP: the file that the service was started with is read and applied again. A faulty one changes nothing.

import { Failure, type Terminal } from "#command-line/terminal.ts";
import type { Log } from "#runtime/runtime.ts";
import type { System } from "#system.ts";
import { readProvision } from "./read.ts";

/** Lines of the log that name changes, and errors; a file may have thousands of entries. */
const maxLogged = 100;

/** Reads and applies the file, and logs what that changed, or why it changed nothing. */
export async function reload(
  terminal: Terminal,
  path: string,
  log: Log,
  { core }: Pick<System, "core">,
): Promise<void> {
  const refused = (errors: readonly string[]) =>
    log.error(
      { event: "provision.refused", errors: errors.slice(0, maxLogged), count: errors.length },
      "The provisioning file has errors, and was not applied again. What it had set goes on.",
    );
  try {
    const file = await readProvision(terminal, path);
    const { errors, changes, made } = await core.provisioning.apply(file);
    if (errors.length > 0) return refused(errors);
    log.info(
      { event: "provision.applied", changes: changes.slice(0, maxLogged), count: changes.length },
      changes.length === 0
        ? "The provisioning file was read again: nothing changes."
        : "The provisioning file was applied again.",
    );
    // Not into the log, which others may read: to the output, as at the start.
    for (const { what, secret } of made) terminal.output.write(`${what} (shown once): ${secret}\n`);
  } catch (error) {
    if (error instanceof Failure) return refused(error.errors);
    log.error(
      { event: "provision.failed", err: error },
      "The provisioning file could not be applied again. What it had set goes on.",
    );
  }
}

/** Without a file, the signal keeps its meaning: the terminal is gone, and the process ends. */
export function reloadAtSignal(terminal: Terminal, path: string, log: Log, system: System): void {
  process.on("SIGHUP", () => void reload(terminal, path, log, system));
}

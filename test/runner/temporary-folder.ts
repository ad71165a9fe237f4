// The folder for everything that tests write. It is in memory where there is room: most of what tests wait for are
// flushes, and no test is about the disk itself. (The runs about lost power write to images of their own.)

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
/** A whole run needs under 2 GiB at a time, most of it for PostgreSQL. Containers have 64 MiB here unless they ask for more. */
const minFreeBytes = 4 * 2 ** 30;
/** Short: tests have sockets below it, whose paths end at 107 characters. */
const prefix = "tl-";

/** Makes the folder. The caller removes it; what a killed run left in memory is removed here. */
export function makeTemporaryFolder(): string {
  if (hasRoom()) {
    for (const name of readdirSync(memory))
      if (isLeftOver(name)) rmSync(join(memory, name), { recursive: true, force: true });
    const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
    if (runsPrograms(folder)) {
      // PostgreSQL has a folder in it and may be another user.
      chmodSync(folder, 0o711);
      return folder;
    }
    rmSync(folder, { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= minFreeBytes;
  } catch {
    return false; // not Linux
  }
}

/** Containers often forbid it there, and some tests install programs. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

/** Whether it belongs to a run that is no more. */
function isLeftOver(name: string): boolean {
  const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

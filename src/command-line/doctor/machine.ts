// The doctor's checks of the machine: runtime, data folder, master key, disk.

import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { masterKeyFile } from "#command-line/settings.ts";
import type { Config } from "#config.ts";
import { minNode, outdatedNode, pinnedNode } from "#runtime/program.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

const mib = 1024 * 1024;
/** Below this SQLite will soon refuse messages; below the second it may at any moment. */
const lowBytes = 1024 * mib;
const tooLowBytes = 100 * mib;

/** `newest`: the newest release of Node that this version knew, or null if it knew none. */
export function checkNode(running = process.versions.node, newest = pinnedNode): Finding {
  const major = Number(running.split(".")[0]);
  if (major < minNode)
    return fault("runtime", `Node ${running} is too old.`, `Run it under Node ${minNode} or later.`);
  const outdated = outdatedNode(running, newest);
  if (outdated === null) return ok("runtime", `Node ${running}.`);
  return warning(
    "runtime",
    outdated,
    "Update Node, or rebuild the image on a newer one (--build-arg NODE_IMAGE=node:26-slim).",
  );
}

/** The nearest existing folder: the first start creates the rest. */
function existing(path: string): string {
  const full = resolve(path);
  return existsSync(full) || dirname(full) === full ? full : existing(dirname(full));
}

export function checkDataFolder({ DATA_DIR: folder }: Config): Finding[] {
  const there = existing(folder);
  if (there !== resolve(folder)) {
    try {
      accessSync(there, constants.W_OK);
      return [ok("data folder", `${folder} does not exist yet; the first start makes it.`)];
    } catch {
      return [
        fault(
          "data folder",
          `${folder} does not exist, and ${there} cannot be written.`,
          "Make it, for the user of the service, or name another one in TRUNKLINE_DATA_DIR.",
        ),
      ];
    }
  }
  if (!statSync(there).isDirectory())
    return [fault("data folder", `${folder} is not a folder.`, "Name a folder in TRUNKLINE_DATA_DIR.")];
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch {
    return [
      fault(
        "data folder",
        `${folder} cannot be written by this user.`,
        "Run this as the user of the service, or give the folder to it.",
      ),
    ];
  }
  const others = statSync(there).mode & 0o077;
  return others === 0 || process.platform === "win32"
    ? [ok("data folder", `${folder} belongs to this user alone.`)]
    : [
        warning(
          "data folder",
          `Other users of the machine may open ${folder}.`,
          `Close it: chmod 700 ${folder}`,
        ),
      ];
}

export function checkMasterKey(config: Config): Finding {
  if (config.MASTER_KEY !== undefined) return ok("master key", "It comes from TRUNKLINE_MASTER_KEY.");
  const path = masterKeyFile(config);
  if (!existsSync(path)) return ok("master key", "The first start makes it.");
  const others = statSync(path).mode & 0o077;
  return others === 0 || process.platform === "win32"
    ? ok("master key", `${path} belongs to this user alone.`)
    : warning("master key", `Other users of the machine may read ${path}.`, `Close it: chmod 600 ${path}`);
}

/** A size in bytes, for people. */
const shown = (bytes: number) =>
  bytes >= 1024 * mib ? `${(bytes / (1024 * mib)).toFixed(1)} GiB` : `${Math.floor(bytes / mib)} MiB`;

export function checkDisk({ DATA_DIR }: Config, read = statfsSync): Finding {
  const { bavail, bsize } = read(existing(DATA_DIR));
  const free = bavail * bsize;
  const detail = `${shown(free)} free where ${DATA_DIR} is.`;
  const advice =
    "Free some, or move the data folder to a larger disk; TRUNKLINE_KEEP_MESSAGES_DAYS removes old messages.";
  if (free < tooLowBytes) return fault("disk", detail, advice);
  return free < lowBytes ? warning("disk", detail, advice) : ok("disk", detail);
}

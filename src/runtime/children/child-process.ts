// Runs a module in a process of its own, for code whose crash or memory must not affect ours (a linked device's library). It gets an empty
// environment, its output is drained and discarded, and it ends with this process.

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installation, ownModule } from "#runtime/program.ts";
import type { Clock } from "#runtime/runtime.ts";

export interface Child {
  /** Sends a value that `structuredClone` can copy. Dropped, without an error, once the child has ended. */
  send(message: unknown): void;
  /** Called for each value that the child sends, in order. */
  onMessage(listener: (message: unknown) => void): void;
  /** Resolves when the child has ended, with the reason in plain words. Never rejects. */
  readonly ended: Promise<string>;
  /** Asks the child to end (SIGTERM), and kills it after `stopMs`. */
  stop(): Promise<void>;
  /** Ends the child at once. */
  kill(): void;
}

/**
 * Where a child may connect to. `outside`: neither to a loopback address nor to a Unix socket, as far as JavaScript in the child can
 * prevent it (`sandboxed-child.ts`).
 */
export type ChildNetwork = "none" | "outside" | "all";

/** What a child may do under Node's permission model; everything else is denied, including other processes and add-ons. */
export interface ChildPermissions {
  network: ChildNetwork;
  /** The only server that it may connect to (`host:port`, IPv6 without brackets), as far as JavaScript can prevent others. */
  only?: string | null;
  /** Files and folders (`file:` URLs) that it may read, with everything in them; its module has to be among them. */
  read: readonly URL[];
  /** Folders that it may write. */
  write: readonly URL[];
}

/** How long a child may take to end by itself, ms. */
const stopMs = 5_000;

/** In the child, before its module: a process whose parent is gone ends at once; its module cannot prevent it. */
const endWithParent = `data:text/javascript,${encodeURIComponent(
  'process.once("disconnect", () => process.exit(0));',
)}`;

const sandboxedChild = ownModule("runtime/children/sandboxed-child");
/** Makes Node load `sandboxed-child.ts`. */
const packageFile = new URL("package.json", installation);

function permissionFlags({ network, only = null, read, write }: ChildPermissions): string[] {
  return [
    "--permission",
    // Node's SQLite opens files past the permission model (seen with Node 26.10).
    "--no-experimental-sqlite",
    ...(network === "none" ? [] : ["--allow-net"]),
    ...[sandboxedChild, packageFile, ...read].map((url) => `--allow-fs-read=${fileURLToPath(url)}`),
    ...write.map((url) => `--allow-fs-write=${fileURLToPath(url)}`),
    "--import",
    `${sandboxedChild.href}?${new URLSearchParams({ network, ...(only !== null && { only }) })}`,
  ];
}

/** Starts `module` (a `file:` URL). Without `permissions` it may do what this process may. */
export function startChild({
  module,
  clock,
  permissions,
}: {
  module: URL;
  clock: Clock;
  permissions?: ChildPermissions;
}): Child {
  const child: ChildProcess = fork(fileURLToPath(module), {
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: ["--import", endWithParent, ...(permissions ? permissionFlags(permissions) : [])],
    env: permissions?.write[0] ? { TMPDIR: fileURLToPath(permissions.write[0]) } : {},
  });
  // A pipe that is not read fills up and blocks the child. The library's output may contain keys, so it is not logged.
  child.stdout?.resume();
  child.stderr?.resume();
  const over = new AbortController();
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`The child process failed: ${error.message}`));
    child.once("exit", (code, signal) =>
      resolve(`The child process ended with ${signal === null ? `code ${code}` : `signal ${signal}`}.`),
    );
  });
  void ended.then(() => over.abort());
  return {
    send: (message) => {
      // Without a callback, an error of a closed channel would be thrown as an event.
      if (child.connected) child.send(message as object, () => {});
    },
    onMessage: (listener) => {
      child.on("message", listener);
    },
    ended,
    stop: async () => {
      child.kill("SIGTERM");
      await clock.sleep(stopMs, over.signal);
      if (!over.signal.aborted) child.kill("SIGKILL");
      await ended;
    },
    kill: () => {
      child.kill("SIGKILL");
    },
  };
}

// What the benches of the AI gateway stand on: peers in processes of their own, and a server with pools. Ends all of it.

import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, type Server, startServer } from "../../test/faults/server.ts";
import { pinned } from "../stage.ts";
import type { Target } from "./client.ts";

const minutes = 25;
export const folder = mkdtempSync(join(tmpdir(), "trunkline-bench-ai-"));
export const children: ChildProcess[] = [];
setTimeout(() => {
  console.error(`not finished after ${minutes} minutes: stopped`);
  end(1);
}, minutes * 60_000).unref();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(1));

export function end(code: number): never {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

/** Starts a file of this folder in a process of its own, on one core where that can be chosen. */
export function peer(
  name: string,
  core: "0" | "1",
  ...args: string[]
): Promise<{ port: number; pid: number }> {
  const child = fork(fileURLToPath(new URL(name, import.meta.url)), args, { execArgv: [] });
  children.push(child);
  const pid = child.pid ?? 0;
  if (pinned) spawnSync("taskset", ["-a", "-p", "-c", core, String(pid)]);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("message", ({ port }: { port: number }) => resolve({ port, pid }));
  });
}

/**
 * An installation with these pools, each with one key that has limits nothing reaches. `start`: the server, on the first core. `target`: a
 * path of it with a pool's key.
 */
export async function install(pools: { name: string; members: object[]; cache?: object }[]) {
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const provision = join(folder, "provision.json");
  const keyOf = (index: number) => `tlp_${String.fromCharCode(98 + index).repeat(43)}`;
  const own = pools.map((pool, index) => ({
    ...pool,
    keys: [
      {
        name: "app",
        key: keyOf(index),
        limits: { requests_per_minute: 1e8, tokens_per_minute: 1e9, concurrency: 10_000 },
        budget: { tokens_per_month: 1e12 },
      },
    ],
  }));
  const account = { name: "bench", api_key: `tl_${"c".repeat(43)}`, pools: own };
  writeFileSync(provision, JSON.stringify({ accounts: [account] }));
  const logFile = join(folder, "server.log");
  const port = await freePort();
  const start = (): Promise<Server> =>
    startServer({
      port,
      logFile,
      ownCache: true,
      ...(pinned ? { cpus: "0" } : {}),
      env: {
        TRUNKLINE_DATA_DIR: data,
        TRUNKLINE_PROVISION: provision,
        TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
        // As bin/trunkline.mjs sets them.
        MALLOC_ARENA_MAX: "2",
        MALLOC_MMAP_THRESHOLD_: "131072",
      },
    });
  const target = (name: string, pool: string, path: string): Target => {
    const index = pools.findIndex((each) => each.name === pool);
    const headers = { authorization: `Bearer ${keyOf(index)}` };
    return { name, port, path, headers };
  };
  return { data, start, logFile, target };
}

/** The CPU that a process has used in all of its threads, µs; 0 where the system does not say. */
export function cpuUs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  try {
    const ns = readdirSync(tasks).map((task) =>
      Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]),
    );
    return ns.reduce((sum, one) => sum + one, 0) / 1_000;
  } catch {
    return 0;
  }
}

export const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
export const ratio = (a: number, b: number) => (b === 0 ? "–" : (a / b).toFixed(2));

// The real server as a process of its own: started as anybody starts it, ended as the fault wants it.

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { nodeFlags } from "../../bin/program.mjs";
import { childEnvironment, keepCompiled, serviceProgram } from "../child-environment.ts";

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Server {
  base: string;
  pid: number;
  /** Milliseconds from the start of the process until it listened. */
  readyMs: number;
  ended: Promise<Ended>;
  signal(signal: NodeJS.Signals): void;
  /** `kill -9`, and waits until it is gone. Also ends a process that is stopped. */
  kill(): Promise<void>;
  /** The last lines it logged. */
  tail(): string;
}

export interface ServerOptions {
  env: Record<string, string>;
  port: number;
  /** Everything it prints is appended here. */
  logFile: string;
  /** What to start; the server of this repository unless a stand-in is given. */
  entry?: string;
  /** CPU list for taskset, where there is one. */
  cpus?: string;
  /** Compile into the data folder, as a user's start does, and not into the cache that tests share. */
  ownCache?: boolean;
}

/** The process ended before it listened; `ended` says how. */
export class EarlyEnd extends Error {
  readonly ended: Ended;
  constructor(ended: Ended, tail: string) {
    super(`the server ended with ${ended.signal ?? ended.code} before it listened\n${tail}`);
    this.ended = ended;
  }
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Resolves when the server listens; fails with its last lines when it ends or stays silent before that. */
export function startServer(options: ServerOptions): Promise<Server> {
  const { env, port, logFile, cpus, ownCache = false } = options;
  const started = performance.now();
  const entry = process.env.TRUNKLINE_FAULTS_ENTRY ?? options.entry ?? serviceProgram();
  const [program, ...rest] =
    cpus === undefined ? [process.execPath] : ["taskset", "-c", cpus, process.execPath];
  const child = spawn(
    program ?? process.execPath,
    [
      ...rest,
      "--disable-warning=ExperimentalWarning",
      ...nodeFlags(root),
      ...(ownCache ? [] : keepCompiled),
      entry,
    ],
    {
      cwd: root,
      env: childEnvironment({
        ...(ownCache ? { NODE_COMPILE_CACHE: "" } : {}),
        ...env,
        TRUNKLINE_HOST: "127.0.0.1",
        TRUNKLINE_PORT: String(port),
      }),
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  running.add(child);
  const log = createWriteStream(logFile, { flags: "a" });
  let tail = "";
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => {
      running.delete(child);
      log.end();
      resolve({ code, signal });
    });
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the server ${why}\n${tail}`));
    const overdue = setTimeout(() => {
      child.kill("SIGKILL");
      fail("did not listen within 60 s");
    }, 60_000);
    child.once("error", (error) => fail(`could not be started: ${error.message}`));
    void ended.then((end) => {
      clearTimeout(overdue);
      reject(new EarlyEnd(end, tail));
    });
    let listening = false;
    const read = (chunk: Buffer) => {
      log.write(chunk);
      tail = (tail + chunk.toString("utf8")).slice(-6000);
      const base = listening ? null : /listening on (http:\/\/[\w.[\]:-]+)/.exec(tail);
      if (!base?.[1]) return;
      listening = true;
      clearTimeout(overdue);
      resolve({
        base: base[1],
        pid: child.pid ?? 0,
        readyMs: performance.now() - started,
        ended,
        signal: (signal) => void child.kill(signal),
        async kill() {
          child.kill("SIGKILL");
          await ended;
        },
        tail: () => tail,
      });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
  });
}

/** A port that is free now. Callbacks need the same one after a restart, so 0 will not do. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

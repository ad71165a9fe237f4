// `npm test`: runs the test files, and one real PostgreSQL for those that ask for it; leaves nothing behind.
// Arguments: parts of file names (`npm test -- store queue/lane`); without any, every file is run. `--all` plays
// exhaustive loops whole, of which a run otherwise plays a share (runner/share.ts).
// The long fault runs are not tests but a program: `npm run test:faults`.

import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { compileCache } from "./child-environment.ts";
import { startPostgresOnDemand, urlVariable } from "./postgres.ts";
import { chooseFiles, type TestFile } from "./runner/choose-files.ts";
import {
  addCounts,
  type Failure,
  type FileResult,
  type FromWorker,
  type NextFile,
  noCounts,
} from "./runner/messages.ts";
import { changedVariable, chooseShares, seedVariable } from "./runner/share.ts";
import { makeTemporaryFolder } from "./runner/temporary-folder.ts";
import { sharedVariable, shareOnDemand } from "./ui/shared.ts";

/** Everything together may take this long; then it is killed and has failed. */
const limitMs = 60 * 60_000;
/** One hanging test fails by its name. */
const testLimitMs = 5 * 60_000;
/** A file that hangs outside its tests fails by its name, and its process is killed. */
const fileLimitMs = 15 * 60_000;

/** Where the durations of the last run are kept. */
const timesFile = join(compileCache, "seconds.json");

interface Outcome {
  file: string;
  ms: number;
  failures: readonly Failure[];
}

class Run {
  readonly outcomes: Outcome[] = [];
  counts = noCounts;
  /** How many tests were skipped for each reason. */
  readonly skipped = new Map<string, number>();
  /** Why it was stopped before its end; empty if it was not. */
  stopped = "";
  readonly #queue: TestFile[];
  readonly #verbose: boolean;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #children = new Set<ChildProcess>();

  constructor(files: readonly TestFile[], environment: NodeJS.ProcessEnv) {
    this.#queue = [...files];
    this.#verbose = files.length === 1;
    this.#environment = environment;
  }

  /** Runs everything: so many processes side by side, and beside them some for files that wait. */
  async all(computing: number, waiting: number): Promise<void> {
    await Promise.all([
      ...Array.from({ length: computing }, () => this.#lane(false)),
      ...Array.from({ length: waiting }, () => this.#lane(true)),
    ]);
  }

  stop(why: string): void {
    this.stopped ||= why;
    for (const child of this.#children) signalGroup(child.pid, "SIGKILL");
  }

  /** One process after another, until no file is left: a new one for each isolated file, and after one that died. */
  async #lane(waits: boolean): Promise<void> {
    const isOver = () => this.stopped !== "" || !this.#queue.some((file) => file.waits || !waits);
    while (!isOver()) await this.#process(waits);
  }

  /** Starts a process and feeds it files until none is left for it; resolves when it is gone. `waits`: those that wait alone. */
  #process(waits: boolean): Promise<void> {
    const child = fork(new URL("./runner/worker.ts", import.meta.url), {
      execArgv: [
        `--test-timeout=${testLimitMs}`,
        `--test-reporter=${new URL("./runner/reporter.ts", import.meta.url).href}`,
        "--test-reporter-destination=stdout",
      ],
      // A group of its own, so that all that the tests started can be ended with them.
      detached: true,
      env: this.#environment,
    });
    this.#children.add(child);
    const ran: string[] = [];
    let current: TestFile | null = null;
    let isolated = false;
    let failed = false;
    let overdue: NodeJS.Timeout | undefined;
    let why = "";
    const next = (): TestFile | null => {
      if (isolated || this.stopped !== "") return null;
      // A process that has run something cannot take an isolated file.
      const fits = (file: TestFile) => ran.length === 0 || !file.isolated;
      const first = this.#queue.findIndex((file) => fits(file) && file.waits === waits);
      // A core that has nothing to compute any more helps with what waits.
      const index = first === -1 && !waits ? this.#queue.findIndex(fits) : first;
      return this.#queue.splice(index, index === -1 ? 0 : 1)[0] ?? null;
    };
    child.on("message", (message: FromWorker) => {
      if (message.kind === "notice") console.error(`${ran.at(-1) ?? ""}: ${message.text}`);
      if (message.kind === "result") {
        current = null;
        failed ||= message.failures.length > 0;
        this.#report(message, ran);
      }
      if (message.kind !== "ready") return;
      clearTimeout(overdue);
      current = next();
      if (current !== null) {
        const { path } = current;
        isolated = current.isolated;
        ran.push(path);
        overdue = setTimeout(() => {
          why = `it was not done after ${fileLimitMs / 60_000} minutes`;
          signalGroup(child.pid, "SIGKILL");
        }, fileLimitMs);
      }
      child.send({ file: current?.path ?? null } satisfies NextFile);
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => {
        clearTimeout(overdue);
        this.#children.delete(child);
        signalGroup(child.pid, "SIGKILL"); // servers that a failed test left running
        const how = why || `its process ended with ${signal ?? `exit code ${code}`}`;
        const file = current?.path ?? ran.at(-1);
        if (file !== undefined && (current !== null || (code !== 0 && !failed)))
          this.#report(
            {
              kind: "result",
              file,
              ms: 0,
              counts: { ...noCounts, fail: 1, tests: 1 },
              failures: [{ name: current === null ? "after its tests" : "", error: this.stopped || how }],
              skipped: [],
              lines: [],
            },
            ran,
          );
        resolve();
      });
    });
  }

  #report(result: FileResult, ran: readonly string[]): void {
    const { file, ms, counts, failures } = result;
    this.outcomes.push({ file, ms, failures });
    this.counts = addCounts(this.counts, counts);
    for (const reason of result.skipped) this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
    const seconds = `${(ms / 1000).toFixed(1)} s`;
    console.log(`${failures.length > 0 ? "✖" : "✔"} ${file} (${counts.tests} tests, ${seconds})`);
    if (this.#verbose) console.log(result.lines.join("\n"));
    if (failures.length === 0) return;
    for (const failure of failures) console.log(describeFailure(failure));
    const earlier = ran.slice(0, ran.indexOf(file)).slice(-10);
    if (earlier.length > 0) console.log(`  Its process had run, among others: ${earlier.join(" ")}`);
  }
}

async function main(): Promise<number> {
  const times = readTimes();
  const words = process.argv.slice(2);
  const files = chooseFiles(
    words.filter((word) => word !== "--all"),
    times,
  );
  if (files.length === 0) throw new Error("no test file matches");
  // Here too, for a run without npm: the packages of tests are installed by the tests.
  const ready = spawnSync(process.execPath, ["scripts/ready.mjs", "--tests"], { stdio: "inherit" });
  if (ready.status !== 0) return 1;
  const folder = makeTemporaryFolder();
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  process.env.TMPDIR = folder;
  const postgres = await startPostgresOnDemand();
  const dashboard = await shareOnDemand();
  const shares = chooseShares(words.includes("--all"));
  const run = new Run(files, {
    ...process.env,
    ...shares,
    [urlVariable]: postgres.address,
    [sharedVariable]: dashboard.address,
    NODE_COMPILE_CACHE: compileCache,
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => run.stop(`stopped by ${signal}`));
  const overdue = setTimeout(() => run.stop(`not finished after ${limitMs / 60_000} minutes`), limitMs);
  const began = performance.now();
  await run.all(Math.min(files.length, Math.max(2, availableParallelism())), 1);
  clearTimeout(overdue);
  await Promise.all([postgres.stop(), dashboard.stop()]);
  if (run.stopped === "") keepTimes(times, run.outcomes);
  summarise(run, (performance.now() - began) / 1000);
  if (shares[changedVariable] !== "*")
    console.log(
      `Exhaustive loops played the share of ${seedVariable}=${shares[seedVariable]}; npm run test:all plays all.\n`,
    );
  if (run.stopped !== "") {
    console.error(`The tests were ${run.stopped}: they count as failed.`);
    return 1;
  }
  for (const [name, count] of Object.entries(run.counts)) console.log(`# ${name} ${count}`);
  return run.outcomes.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** The failures again, why tests were skipped, and the slowest files. */
function summarise(run: Run, seconds: number): void {
  const failed = run.outcomes.filter(({ failures }) => failures.length > 0);
  if (failed.length > 0) console.log("\nFailed:");
  for (const { file, failures } of failed) {
    console.log(`✖ ${file}`);
    for (const failure of failures) console.log(describeFailure(failure));
  }
  if (run.skipped.size > 0) console.log("\nSkipped:");
  for (const [reason, count] of run.skipped) console.log(`  ${count} × ${reason}`);
  const slowest = run.outcomes.toSorted((a, b) => b.ms - a.ms).slice(0, 10);
  if (slowest.length > 1) {
    console.log("\nThe slowest files:");
    for (const { file, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
  }
  console.log(`\n${run.outcomes.length} files in ${seconds.toFixed(1)} s`);
}

function describeFailure({ name, error }: Failure): string {
  const text = name === "" ? error : `${name}\n${error}`;
  return text.replaceAll(/^/gm, "    ").replace(/^ {4}/, "  ✖ ");
}

function readTimes(): Map<string, number> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(timesFile, "utf8")) as Record<string, number>));
  } catch {
    return new Map(); // the first run
  }
}

function keepTimes(times: Map<string, number>, outcomes: readonly Outcome[]): void {
  for (const { file, ms } of outcomes) times.set(file, Math.round(ms) / 1000);
  mkdirSync(compileCache, { recursive: true });
  writeFileSync(`${timesFile}.new`, JSON.stringify(Object.fromEntries(times)));
  renameSync(`${timesFile}.new`, timesFile);
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    if (process.platform === "win32") process.kill(pid, signal);
    else process.kill(-pid, signal);
  } catch {
    // Already gone.
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

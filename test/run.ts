// `npm test`: runs the test files, and one real PostgreSQL for those that ask for it; leaves nothing behind.
// Arguments: parts of file names (`npm test -- store queue/lane`); without any, every test is run.
// `--faults-short` runs the short fault tests alone, `--no-faults` everything but them.
// The long fault runs are not tests but a program: `npm run test:faults`.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { compileCache } from "./child-environment.ts";
import { chooseFiles, shareProcesses } from "./choose-files.ts";
import { startPostgresOnDemand, urlVariable } from "./postgres.ts";
import { sharedVariable, shareOnDemand } from "./ui/shared.ts";

/** Everything together may take this long; then it is killed and has failed. */
const limitMs = 60 * 60_000;
/** One hanging test fails by its name, well before the whole run does. */
const testLimitMs = 5 * 60_000;

async function main(): Promise<number> {
  const files = chooseFiles(process.argv.slice(2));
  if (files.length === 0) throw new Error("no test file matches");
  const cores = Math.max(2, availableParallelism());
  const { shared, isolated } = shareProcesses(files, cores);
  const folder = mkdtempSync(join(tmpdir(), "trunkline-test-"));
  const postgres = await startPostgresOnDemand();
  const dashboard = await shareOnDemand();
  const running = new Set<number>();
  const summaries: string[] = [];
  let ended = "";
  const endTests = (why: string) => {
    ended ||= why;
    for (const pid of running) signalGroup(pid, "SIGKILL");
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => endTests(`stopped by ${signal}`));
  const overdue = setTimeout(() => endTests(`not finished after ${limitMs / 60_000} minutes`), limitMs);
  /** Runs files; resolves with the exit code. */
  const run = async (options: readonly string[], chosen: readonly string[]): Promise<number> => {
    if (ended !== "" || chosen.length === 0) return 0;
    const summary = join(folder, `summary-${summaries.length}.tap`);
    summaries.push(summary);
    const tests = spawn(
      process.execPath,
      [
        "--test",
        "--import",
        new URL("./preload.ts", import.meta.url).href,
        `--test-timeout=${testLimitMs}`,
        ...options,
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        "--test-reporter=tap",
        `--test-reporter-destination=${summary}`,
        ...chosen,
      ],
      // A group of its own, so that all that the tests started can be ended with them.
      {
        stdio: ["ignore", "inherit", "inherit"],
        detached: true,
        env: {
          ...process.env,
          [urlVariable]: postgres.address,
          [sharedVariable]: dashboard.address,
          NODE_COMPILE_CACHE: compileCache,
        },
      },
    );
    const { pid } = tests;
    if (pid !== undefined) running.add(pid);
    const code = await new Promise<number | null>((resolve, reject) => {
      tests.once("error", reject);
      tests.once("exit", resolve);
    });
    if (pid !== undefined) {
      running.delete(pid);
      signalGroup(pid, "SIGKILL"); // servers that a failed test left running
    }
    return code ?? 1;
  };
  const codes = await Promise.all(shared.map((part) => run(["--test-isolation=none"], part)));
  codes.push(await run([`--test-concurrency=${cores}`], isolated));
  clearTimeout(overdue);
  await Promise.all([postgres.stop(), dashboard.stop()]);
  // The closing lines again, last, in the form that machines know.
  const totals = ended === "" ? sumTotals(summaries.map((summary) => readFileSync(summary, "utf8"))) : [];
  rmSync(folder, { recursive: true, force: true });
  if (totals.length > 0) console.log(totals.join("\n"));
  if (ended !== "") {
    console.error(`The tests were ${ended}: they count as failed.`);
    return 1;
  }
  return codes.find((code) => code !== 0) ?? 0;
}

/** The totals of several TAP summaries, as the lines of one. */
function sumTotals(summaries: readonly string[]): string[] {
  return ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"].map((name) => {
    // The last one: what a test's own child process prints of its tests comes before it.
    const counts = summaries.map((text) =>
      Number([...text.matchAll(new RegExp(`^# ${name} (\\d+)$`, "gm"))].at(-1)?.[1] ?? 0),
    );
    return `# ${name} ${counts.reduce((sum, count) => sum + count, 0)}`;
  });
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

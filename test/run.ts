// `npm test`: runs the test files, and one real PostgreSQL for those that ask for it; leaves nothing behind.
// Arguments: parts of file names (`npm test -- store queue/lane`); without any, every test is run.
// `--faults-short` runs the short fault tests alone, `--no-faults` everything but them.
// The long fault runs are not tests but a program: `npm run test:faults`.

import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgresOnDemand, urlVariable } from "./postgres.ts";

/** Everything together may take this long; then it is killed and has failed. */
const limitMs = 60 * 60_000;
/** One hanging test fails by its name, well before the whole run does. */
const testLimitMs = 5 * 60_000;
const faults = "test/faults/short.test.ts";

function chooseFiles(args: readonly string[]): string[] {
  const all = globSync("test/**/*.test.ts")
    .map((file) => file.replaceAll("\\", "/"))
    .sort();
  const patterns = args.filter((arg) => !arg.startsWith("--")).map((arg) => arg.replace(/^\.\//, ""));
  const unknown = args.find(
    (arg) => arg.startsWith("--") && arg !== "--faults-short" && arg !== "--no-faults",
  );
  if (unknown !== undefined) throw new Error(`unknown option ${unknown}`);
  let chosen = all;
  if (args.includes("--faults-short")) chosen = [faults];
  if (args.includes("--no-faults")) chosen = chosen.filter((file) => file !== faults);
  if (patterns.length > 0)
    chosen = chosen.filter((file) => patterns.some((pattern) => file.includes(pattern)));
  // The longest file first, so that it does not run alone at the end.
  return chosen.sort((a, b) => Number(b === faults) - Number(a === faults));
}

async function main(): Promise<number> {
  const files = chooseFiles(process.argv.slice(2));
  if (files.length === 0) throw new Error("no test file matches");
  const folder = mkdtempSync(join(tmpdir(), "trunkline-test-"));
  const summary = join(folder, "summary.tap");
  const postgres = await startPostgresOnDemand();
  const tests = spawn(
    process.execPath,
    [
      "--test",
      "--import",
      new URL("./fixed-seed.ts", import.meta.url).href,
      `--test-timeout=${testLimitMs}`,
      `--test-concurrency=${Math.max(2, availableParallelism())}`,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      "--test-reporter=tap",
      `--test-reporter-destination=${summary}`,
      ...files,
    ],
    // A group of its own, so that whatever the tests started can be ended with them.
    {
      stdio: ["ignore", "inherit", "inherit"],
      detached: true,
      env: { ...process.env, [urlVariable]: postgres.address, NODE_COMPILE_CACHE: join(folder, "compiled") },
    },
  );
  let ended = "";
  const endTests = (why: string) => {
    ended ||= why;
    signalGroup(tests.pid, "SIGKILL");
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => endTests(`stopped by ${signal}`));
  const overdue = setTimeout(() => endTests(`not finished after ${limitMs / 60_000} minutes`), limitMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    tests.once("error", reject);
    tests.once("exit", resolve);
  });
  clearTimeout(overdue);
  signalGroup(tests.pid, "SIGKILL"); // servers that a failed test left running
  await postgres.stop();
  // The closing lines again, last, in the form that machines know.
  const totals =
    ended === ""
      ? readFileSync(summary, "utf8").match(/^# (tests|suites|pass|fail|cancelled|skipped|todo) \d+$/gm)
      : null;
  rmSync(folder, { recursive: true, force: true });
  if (totals !== null) console.log(totals.join("\n"));
  if (ended !== "") {
    console.error(`The tests were ${ended}: they count as failed.`);
    return 1;
  }
  return code ?? 1;
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

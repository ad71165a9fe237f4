// The test files of a run: which ones, in which order, and which of them need a process of their own.

import { globSync, readFileSync, statSync } from "node:fs";

export interface TestFile {
  /** Relative to the repository, with slashes. */
  path: string;
  /** It changes what every file of a process shares, so it runs in a process that has run and will run nothing else. */
  isolated: boolean;
  /** It mostly waits, for processes that it starts and for real time, so it may run beside one that computes on each core. */
  waits: boolean;
}

/** The line by which a file asks for a process of its own, with the reason. */
const ownProcess = /^\/\/ Runs in a process of its own: .+/m;

const waitingFolders =
  /^test\/(?:attacks|faults|command-line|failover|clients-|scripts|examples|upgrade|gateways\/whatsapp\/linked)/;

/** What usually takes longest, for a checkout in which no run has been timed yet. */
const slowFolders = /^test\/(?:attacks|faults|ui|command-line|scenarios|examples)/;

/**
 * The files whose paths contain one of `parts`, or all of them, slowest first, so that no long file runs alone at the end.
 * `seconds` has the durations of an earlier run.
 */
export function chooseFiles(parts: readonly string[], seconds: ReadonlyMap<string, number>): TestFile[] {
  const patterns = parts.map((part) => part.replace(/^\.\//, ""));
  const option = patterns.find((pattern) => pattern.startsWith("--"));
  if (option !== undefined) throw new Error(`unknown option ${option}`);
  return globSync("test/**/*.test.ts", { exclude: ["**/node_modules/**"] })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))
    .map((path) => ({ path, weight: seconds.get(path) ?? guessedSeconds(path) }))
    .sort((a, b) => b.weight - a.weight || (a.path < b.path ? -1 : 1))
    .map(({ path }) => ({
      path,
      isolated: ownProcess.test(readFileSync(path, "utf8")),
      waits: waitingFolders.test(path),
    }));
}

function guessedSeconds(path: string): number {
  return (statSync(path).size / 20_000) * (slowFolders.test(path) ? 10 : 1);
}

// Which test files a run has, and which of them share a process.

import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";

export const faults = "test/faults/short.test.ts";

/** Files that need a process of their own although nothing in them says so, each with its reason. */
const ownProcess: readonly string[] = [
  // V8 14.6 reads the key `"` as `\` once any object of the process has had the second one.
  "test/contract/json-text.test.ts",
];

/** What a file has that cannot share: hooks for the whole process, child processes, a system, PostgreSQL, the environment. */
const needsOwnProcess =
  /^(?:before|after|beforeEach|afterEach)\(|node:child_process|node:worker_threads|\/harness\.ts"|\/postgres\.ts"|process\.(?:env|chdir|on)\b/m;

/** Files of `args`: parts of names, `--faults-short` for these alone, `--no-faults` for all others. */
export function chooseFiles(args: readonly string[]): string[] {
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
  return chosen;
}

/**
 * Starting a process and loading a file's imports takes 0.3 s, more than the tests of most files. Those that need no
 * process of their own run together, `parts` of them side by side.
 */
export function shareProcesses(
  files: readonly string[],
  parts: number,
): { shared: string[][]; isolated: string[] } {
  const known = new Map<string, boolean>();
  const isolates = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    known.set(path, false);
    const text = readFileSync(path, "utf8");
    const isolated =
      needsOwnProcess.test(text) ||
      [...text.matchAll(/^(?:import|export|})[^"\n]*from "(\.\.?\/[^"]+)"/gm)]
        .map((match) => posix.join(posix.dirname(path), match[1] ?? ""))
        .some((imported) => imported.startsWith("test/") && isolates(imported));
    known.set(path, isolated);
    return isolated;
  };
  const isolated = files.filter((file) => ownProcess.includes(file) || isolates(file));
  const together = files.filter((file) => !isolated.includes(file));
  const shared = Array.from({ length: parts }, (_, part) =>
    together.filter((_file, index) => index % parts === part),
  ).filter((part) => part.length > 0);
  // The longest file first, so that it does not run alone at the end.
  return { shared, isolated: isolated.sort((a, b) => Number(b === faults) - Number(a === faults)) };
}

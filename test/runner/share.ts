// A share of an exhaustive loop for each run, so that `npm test` stays short and the runs of many commits play all of it.
// `npm run test:all` plays everything, and so does a change of the sources that a loop is about.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";

/** The choice: a hash. The runner prints it; the same value plays the same shares again. */
export const seedVariable = "TRUNKLINE_TEST_SEED";
/** The paths that the change touches, one a line, or `*`, with which every loop is played whole. */
export const changedVariable = "TRUNKLINE_TEST_CHANGED";

/** What chooses the shares: the environment of the runner, or the checkout for a file run by hand, which plays all. */
export interface Choice {
  seed: string;
  changed: readonly string[];
}

export function choiceOf(environment: NodeJS.ProcessEnv): Choice {
  return {
    seed: environment[seedVariable] ?? "",
    changed: (environment[changedVariable] ?? "*").split("\n").filter((path) => path !== ""),
  };
}

/**
 * A third of `items`, at least one, or all of them when the change touches a path that begins with one of `about`.
 * `loop` names the loop, so that two loops do not choose alike. Every item is in the share of some seed.
 */
export function share<Item>(
  loop: string,
  about: readonly string[],
  items: readonly Item[],
  { seed, changed } = choiceOf(process.env),
): Item[] {
  if (changed.includes("*") || changed.some((path) => about.some((prefix) => path.startsWith(prefix))))
    return [...items];
  const hash = createHash("sha256").update(`${seed} ${loop}`).digest().readUInt32BE();
  const start = hash % Math.min(3, items.length);
  return items.filter((_item, index) => index % 3 === start);
}

/** The environment that chooses the shares of a run: those of the commit, and what it and the working tree change. */
export function chooseShares(all: boolean): Record<string, string> {
  const git = (...words: string[]): string | null => {
    const { status, stdout } = spawnSync("git", words, { encoding: "utf8" });
    return status === 0 ? stdout : null;
  };
  const seed = process.env[seedVariable] ?? git("rev-parse", "--short", "HEAD")?.trim();
  // On a branch, all that it adds to main; on main, the last commit.
  const since = git("merge-base", "HEAD", "main")?.trim();
  const head = git("rev-parse", "HEAD")?.trim();
  const base = since === undefined || since === head ? "HEAD~1" : since;
  const changed = git("diff", "--name-only", base);
  const untracked = git("ls-files", "--others", "--exclude-standard");
  // An archive without history, or a shallow clone, says nothing about the change.
  if (all || seed === undefined || changed === null || untracked === null)
    return { [seedVariable]: seed ?? "", [changedVariable]: "*" };
  return { [seedVariable]: seed, [changedVariable]: `${changed}${untracked}` };
}

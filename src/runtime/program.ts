// The program itself: its folder, its version, and the names of its commands, for sentences that refer to one. A clone has npm's scripts;
// the package and the image have the command `trunkline`.

import { readFileSync } from "node:fs";

/** The folder of the installation: two levels above `src/runtime/`, and above the bundle's `build/service/`. */
export const installation = new URL("../../", import.meta.url);

const isBundle = import.meta.url.endsWith(".mjs");

/**
 * A module that runs in a thread or a process of its own, by its path in `src/` without the extension. The bundle has one file
 * for each (`scripts/build-service.mjs` finds them by this function's name).
 */
export const ownModule = (path: string): URL =>
  isBundle
    ? new URL(`build/service/${path.replaceAll("/", "-")}.mjs`, installation)
    : new URL(`src/${path}.ts`, installation);

const manifest: { version: string; optionalDependencies?: Record<string, string> } = JSON.parse(
  readFileSync(new URL("package.json", installation), "utf8"),
);

/** As `package.json` has it. */
export const { version } = manifest;

/** The release of Node that this version contains, such as `26.10.0`. Null if the manifest names none. */
export const pinnedNode: string | null = Object.values(manifest.optionalDependencies ?? {})[0] ?? null;

/** The oldest major version of Node that the service runs under. */
export const minNode = 26;

/** Why the service does not run under this Node; null if it does. `bin/trunkline.mjs` would have started the pinned one. */
export function tooOldNode(running = process.versions.node): string | null {
  if (Number(running.split(".")[0]) >= minNode) return null;
  return `Trunkline needs Node ${minNode}, and this is Node ${running}. Start it by bin/trunkline.mjs, which finds the pinned Node, or install Node ${minNode}.`;
}

/**
 * A warning that Node is older than the newest release when this version was built; null if it is not older, or that release is unknown.
 */
export function outdatedNode(running = process.versions.node, newest = pinnedNode): string | null {
  if (newest === null || !isOlder(running, newest)) return null;
  return `Node ${running} is older than ${newest}, which this version was made with: security fixes may be missing.`;
}

/** Whether one version (`26.8.1`) is older than the other. */
function isOlder(one: string, other: string): boolean {
  const numbers = other.split(".").map(Number);
  const apart = one.split(".").map((part, i) => Number(part) - (numbers[i] ?? 0));
  return (apart.find((difference) => difference !== 0) ?? 0) < 0;
}

/** The flag for Node that the scripts of a clone pass (`bin/trunkline.mjs`) and the command `trunkline` does not. */
const flagOfScripts = "--env-file-if-exists=.env";

/** Commands that have a script of their own in a clone. */
const scripts: Readonly<Record<string, string>> = {
  backup: "npm run backup --",
  "install-whatsapp": "npm run whatsapp:install",
};

/** `words`: a command with its arguments, such as `key ACCOUNT`; empty for the service itself. `flags`: Node's. */
export function commandWords(words: string, flags: readonly string[] = process.execArgv): string {
  if (!flags.includes(flagOfScripts)) return `trunkline ${words}`.trimEnd();
  const [command = "", ...rest] = words.split(" ");
  if (command === "") return "npm start";
  return [scripts[command] ?? `npm start -- ${command}`, ...rest].join(" ");
}

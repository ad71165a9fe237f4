// The file that a start of Trunkline runs, and its flags for Node. Plain JavaScript without dependencies, because an old Node reads it.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of the bundle, below the folder of the installation. */
export const bundleFolder = "build/service";

/**
 * A hash of the bundle's inputs: names, sizes and times of the sources, and the lock of the packages. A checkout changes times, so a bundle
 * may be built again without need; one that is out of date is never used.
 */
export function sourceStamp(folder) {
  const hash = createHash("sha256");
  for (const name of readdirSync(join(folder, "src"), { recursive: true }).sort()) {
    if (!/\.(ts|json)$/.test(name)) continue;
    const { size, mtimeMs } = statSync(join(folder, "src", name));
    hash.update(`${name}\0${size}\0${mtimeMs}\0`);
  }
  for (const name of ["package-lock.json", "scripts/build-service.mjs", "scripts/latin1.mjs"])
    hash.update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}

/** Whether the bundle exists and was built from the present sources. */
export function isBundled(folder) {
  const bundle = join(folder, bundleFolder);
  if (!existsSync(join(bundle, "main.mjs"))) return false;
  // The package and the image have no sources.
  if (!existsSync(join(folder, "src"))) return true;
  const stamp = join(bundle, "stamp");
  return existsSync(stamp) && readFileSync(stamp, "utf8") === sourceStamp(folder);
}

/** The file that Node runs: the bundle, which starts in a quarter of the time, or the sources if it is missing or out of date. */
export const programFile = (folder) =>
  join(folder, isBundled(folder) ? `${bundleFolder}/main.mjs` : "src/main.ts");

/** Flags of Node, before the file. */
export const nodeFlags = (folder) => [
  // A clone records that it runs, so that no other start installs packages under it.
  ...["mark-running.mjs", "compile-cache.mjs"]
    .map((name) => join(folder, "scripts", name))
    .filter((path) => existsSync(path))
    .flatMap((path) => ["--import", pathToFileURL(path).href]),
  "--disable-sigusr1",
  "--max-semi-space-size=8",
  // A start leaves 30 MB in the heap, which is collected when the service is ready. Without this V8 collects twice (40 ms of CPU).
  "--initial-old-space-size=48",
];

// What a start of Trunkline runs, and with which flags of Node. Plain JavaScript without dependencies, because an old Node
// reads it.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of the bundle, below the folder of the installation. */
export const bundleFolder = "build/service";

/**
 * What the bundle is made from, as one hash: names, sizes and times of the sources, and the lock of the packages. A checkout
 * changes times, so that a bundle may be built again without need; one that is out of date is never taken.
 */
export function sourceStamp(folder) {
  const hash = createHash("sha256");
  for (const name of readdirSync(join(folder, "src"), { recursive: true }).sort()) {
    if (!/\.(ts|json)$/.test(name)) continue;
    const { size, mtimeMs } = statSync(join(folder, "src", name));
    hash.update(`${name}\0${size}\0${mtimeMs}\0`);
  }
  for (const name of ["package-lock.json", "scripts/build-service.mjs"])
    hash.update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}

/** Whether the bundle is there and was built from the sources as they are. */
export function isBundled(folder) {
  const bundle = join(folder, bundleFolder);
  if (!existsSync(join(bundle, "main.mjs"))) return false;
  // The package and the image have no sources.
  if (!existsSync(join(folder, "src"))) return true;
  const stamp = join(bundle, "stamp");
  return existsSync(stamp) && readFileSync(stamp, "utf8") === sourceStamp(folder);
}

/** The file that Node runs: the bundle, which starts in a quarter of the time, or the sources where it is missing or out of date. */
export const programFile = (folder) =>
  join(folder, isBundled(folder) ? `${bundleFolder}/main.mjs` : "src/main.ts");

/** Flags of Node, before the file. */
export const nodeFlags = (folder) => [
  // A clone notes that it runs, so that no other start installs packages under it.
  ...["mark-running.mjs", "compile-cache.mjs"]
    .map((name) => join(folder, "scripts", name))
    .filter((path) => existsSync(path))
    .flatMap((path) => ["--import", pathToFileURL(path).href]),
  "--disable-sigusr1",
  "--max-semi-space-size=8",
];

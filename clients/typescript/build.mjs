// Writes `dist/`: the sources as JavaScript for Node 20 and newer, and their types. `npm pack` runs it. It needs the packages of
// the repository's tests (`node scripts/ready.mjs --tests` in its root), whose TypeScript it uses.

import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const compiler = join(
  dirname(createRequire(join(folder, "../../test/packages/x")).resolve("typescript/package.json")),
  "bin/tsc",
);

rmSync(join(folder, "dist"), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, "-p", folder], { stdio: "inherit" });
if (status !== 0) process.exit(1);
// The compiler leaves the names of sources in declarations as they are.
for (const name of readdirSync(join(folder, "dist")).filter((each) => each.endsWith(".d.ts"))) {
  const path = join(folder, "dist", name);
  writeFileSync(path, readFileSync(path, "utf8").replace(/("\.\/[\w-]+)\.ts"/g, '$1.js"'));
}
for (const name of ["LICENSE", "NOTICE"])
  copyFileSync(join(folder, "../..", name), join(folder, "dist", name));

// Writes `dist/`: the sources as JavaScript, with the icons and n8n's descriptions of the nodes.

import { spawnSync } from "node:child_process";
import { cpSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const compiler = join(folder, "node_modules/typescript/bin/tsc");

rmSync(join(folder, "dist"), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, "-p", folder], { stdio: "inherit" });
if (status !== 0) process.exit(1);
for (const path of ["icons", ...globSync("nodes/*/*.json", { cwd: folder })])
  cpSync(join(folder, path), join(folder, "dist", path), { recursive: true });
for (const name of ["LICENSE", "NOTICE"]) cpSync(join(folder, "../..", name), join(folder, "dist", name));

// Loaded before the service (`node --import`): creates a file named by the process id while the process lives, so that another start in
// this folder does not install packages under it (`scripts/ready.mjs`).
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

// Threads load it too.
if (isMainThread) {
  const folder = fileURLToPath(new URL("../node_modules/.trunkline-running", import.meta.url));
  const mark = join(folder, String(process.pid));
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(mark, "");
    process.on("exit", () => rmSync(mark, { force: true }));
  } catch {
    // Nothing can be installed into a read-only folder either.
  }
}

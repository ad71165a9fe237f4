#!/usr/bin/env node
// The command `trunkline`, the same in a clone, in the package and in the image. It runs under the Node that is there, from 20 on,
// and starts the service under Node 26: the machine's own, or the one that is pinned among the packages. Plain JavaScript
// without dependencies, because an old Node reads it.
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFlags, programFile } from "./program.mjs";
import {
  binaryInPackage,
  minMajor,
  noPackage,
  notInstalled,
  runtimeFault,
  runtimePackage,
} from "./runtimes.mjs";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const [command, ...rest] = process.argv.slice(2);

function fail(sentence) {
  console.error(`trunkline: ${sentence}`);
  process.exit(1);
}

/** Node 26: this one, or the pinned one. */
function findRuntime() {
  const own = process.versions.node;
  if (Number(own.split(".")[0]) >= minMajor) return process.execPath;
  if (runtimePackage === undefined) failUnder(own, noPackage);
  let packageFile;
  try {
    packageFile = createRequire(import.meta.url).resolve(`${runtimePackage}/package.json`);
  } catch {
    failUnder(own, notInstalled);
  }
  const binary = join(dirname(packageFile), ...binaryInPackage);
  const fault = runtimeFault(spawnSync(binary, ["--version"], { encoding: "utf8" }));
  if (fault !== null) failUnder(own, fault);
  return binary;
}

const failUnder = (node, fault) =>
  fail(`Trunkline needs Node ${minMajor}, and this is Node ${node}. ${fault}`);

/** With this, glibc returns the memory of large bodies sooner: docs/hardening.md. */
const environment = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072", ...process.env };

/** Exits as the other program does, and passes signals on to it. */
function run(program, args) {
  // Replaces this process, if Node can do that.
  if (process.execve !== undefined && process.platform !== "win32")
    process.execve(program, [program, ...args], environment);
  const child = spawn(program, args, { stdio: "inherit", env: environment });
  // A terminal sends SIGINT to both.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The library of `whatsapp-linked`, which is under the GPL and is therefore installed on demand. */
function installWhatsApp() {
  const bridge = join(folder, "bridge/whatsapp");
  try {
    accessSync(bridge, constants.W_OK);
  } catch {
    fail(
      `${bridge} cannot be written by this user. Run it as the user who installed Trunkline; docs/whatsapp-linked.md has the image.`,
    );
  }
  const kinds = ["--omit=peer", "--omit=optional", "--legacy-peer-deps"];
  const args = ["ci", "--prefix", bridge, "--ignore-scripts", ...kinds, "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", args, { stdio: "inherit", shell: process.platform === "win32" });
  process.exit(status ?? 1);
}

if (command === "install-whatsapp" && rest.length === 0) installWhatsApp();
// Tells the program that npm's scripts started it, so that its sentences name those.
const isScript = ["start", "backup"].includes(process.env.npm_lifecycle_event);
const settings = isScript ? ["--env-file-if-exists=.env"] : existsSync(".env") ? ["--env-file=.env"] : [];
if (command === "health" && rest.length === 0) {
  // In this process: it runs every 10 s in a container, and does not need Node 26.
  if (existsSync(".env")) process.loadEnvFile?.(".env");
  await import("../scripts/health.mjs");
} else run(findRuntime(), [...settings, ...nodeFlags(folder), programFile(folder), ...process.argv.slice(2)]);

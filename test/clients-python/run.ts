// `npm run test:clients:python`: the Python client (`clients/python`), installed as its README says, against the real process: its types
// by mypy, its checks, and the programs of the README. Phone numbers are compared with Python's phonenumbers. It needs Python 3.9 or later (PYTHON: another program than `python3`), and makes an
// environment of its own in `.client-tools-python/` (CLIENT_TOOLS_PYTHON: elsewhere) the first time.

import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { toRecipient } from "#messaging/accept/phone.ts";
import { freePort, startServer } from "../faults/server.ts";

/** Versions that the test is known to pass with; this mypy is the last one that runs on Python 3.9. */
const versions = ["httpx==0.28.1", "mypy==1.19.1", "phonenumbers==9.0.43", "setuptools==80.9.0"];
const limitMs = 300_000;
const root = resolve(import.meta.dirname, "../..");
const key = "tl_0123456789abcdef0123456789abcdef";
const secretBytes = Buffer.alloc(32, 7);
const secret = `whsec_${secretBytes.toString("base64")}`;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

/** Runs a program to its end; throws when it fails. */
function run(program: string, args: readonly string[], env: Record<string, string> = {}, cwd = root): void {
  const all = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? cwd, ...env };
  const { status } = spawnSync(program, args, { stdio: "inherit", timeout: limitMs, env: all, cwd });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}.`);
}

/** The Python of the environment, which is made when it is not there. */
function installedPython(tools: string): string {
  const python = join(tools, "bin/python");
  const installed = join(tools, "installed");
  const list = `${versions.join("\n")}\n`;
  if (existsSync(installed) && readFileSync(installed, "utf8") === list) return python;
  run(process.env.PYTHON ?? "python3", ["-m", "venv", tools]);
  run(python, ["-m", "pip", "install", "--quiet", ...versions]);
  writeFileSync(installed, list);
  return python;
}

/** A program of the README, in the folder: the block of code after the mention of its name. */
function program(name: string, folder: string): string {
  const readme = readFileSync(join(root, "clients/python/README.md"), "utf8");
  const [code = ""] = (readme.slice(readme.indexOf(`\`${name}\``)).split("```python\n")[1] ?? "").split(
    "```",
  );
  if (!code.includes("from trunkline")) throw new Error(`The README has no ${name}.`);
  writeFileSync(join(folder, name), code);
  return join(folder, name);
}

/** Starts the receiver of the README, and posts what is genuine and what is not. */
async function checkReceiver(python: string, folder: string): Promise<void> {
  const port = await freePort();
  const receiver = spawn(python, [program("receive.py", folder)], {
    env: { PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    await once(receiver.stdout, "data");
    const body = JSON.stringify({ type: "message.delivered", data: { id: "msg_1", delivered_at: "today" } });
    const seconds = Math.floor(Date.now() / 1000);
    const mac = createHmac("sha256", secretBytes).update(`evt_1.${seconds}.${body}`).digest("base64");
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(seconds),
      "webhook-signature": `v1,${mac}`,
    };
    const post = async (text: string) =>
      (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body: text })).status;
    const refused = await post(`${body} `);
    const printed = once(receiver.stdout, "data");
    const taken = await post(body);
    const line = String((await printed)[0]);
    if (refused !== 401 || taken !== 204 || line !== "evt_1 msg_1 today\n")
      throw new Error(`receive.py answered ${refused} and ${taken}, and printed ${line}`);
  } finally {
    receiver.kill();
  }
}

/** Reads numbers that Python's phonenumbers wrote: each is the same number here or refused, and never another one. */
function checkNumbers(python: string): void {
  const script = join(import.meta.dirname, "numbers.py");
  const { stdout } = spawnSync(python, [script], { encoding: "utf8", maxBuffer: 2 ** 24, timeout: limitMs });
  const ways: Record<string, { read: number; refused: number }> = {};
  for (const line of stdout.trim().split("\n")) {
    const [country, way, written, number] = JSON.parse(line) as [string, string, string, string];
    const found = toRecipient(written, country)?.recipient ?? null;
    // Digits that are short enough for a short code stay as they are.
    const isRefused = found === null || found.length <= 6;
    if (!isRefused && (found !== number || way === "decimal"))
      throw new Error(`${written} on an account of ${country} is ${number}, and became ${found}.`);
    ways[way] ??= { read: 0, refused: 0 };
    ways[way][isRefused ? "refused" : "read"]++;
  }
  console.table(ways);
  const mostly = ["E.164", "international", "00", "no plus"];
  for (const way of mostly)
    if (!ways[way]?.read || ways[way].refused > 0)
      throw new Error(`Some numbers written as "${way}" are refused.`);
}

async function main(): Promise<void> {
  const python = installedPython(resolve(root, process.env.CLIENT_TOOLS_PYTHON ?? ".client-tools-python"));
  checkNumbers(python);
  const folder = mkdtempSync(join(tmpdir(), "trunkline-client-python-"));
  // A copy, because building leaves folders beside the sources.
  const sources = join(folder, "clients/python");
  cpSync(join(root, "clients/python"), sources, { recursive: true });
  const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", "--no-build-isolation"];
  run(python, [...pip, sources]);
  const checks = join(import.meta.dirname, "checks.py");
  const typed = ["--strict", "--cache-dir", join(folder, "mypy")];
  const programs = [program("send.py", folder), program("receive.py", folder)];
  run(python, ["-m", "mypy", ...typed, "--package", "trunkline"], {}, folder);
  run(python, ["-m", "mypy", ...typed, checks], {}, folder);
  for (const each of programs) run(python, ["-m", "mypy", ...typed, each], {}, folder);

  const hookPort = await freePort();
  const provision = join(folder, "provision.json");
  const gateways = ["sms", "whatsapp", "email"].map((channel) => ({
    identifier: `${channel}-main`,
    channel,
    kind: "sandbox",
    default: true,
  }));
  const webhooks = [{ url: `http://127.0.0.1:${hookPort}/`, secret, events: ["*"] }];
  const accounts = [{ name: "python", api_key: key, gateways, webhooks }];
  writeFileSync(provision, JSON.stringify({ accounts }));
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  const server = await startServer({
    port: await freePort(),
    logFile: join(folder, "server.log"),
    env: {
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_PROVISION: provision,
      TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
    },
  });
  try {
    const env = { BASE: server.base, API_KEY: key, WEBHOOK_SECRET: secret, HOOK_PORT: String(hookPort) };
    run(python, [checks], env, folder);
    run(python, [join(folder, "send.py")], { TRUNKLINE_URL: server.base, TRUNKLINE_API_KEY: key }, folder);
    await checkReceiver(python, folder);
  } catch (error) {
    console.error(`What the server printed is in ${folder}.`);
    throw error;
  } finally {
    await server.kill();
  }
  rmSync(folder, { recursive: true, force: true });
  console.log("The Python client passed.");
}

await main();

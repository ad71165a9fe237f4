// The files of examples/ run as they are, against the real process.

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort, type Server, startServer } from "./faults/server.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-examples-"));
// Beside the packages that a reader installs.
const example = (name: string) => join(folder, name);
cpSync(new URL("../examples", import.meta.url), folder, { recursive: true });
symlinkSync(fileURLToPath(new URL("node_modules", import.meta.url)), example("node_modules"), "dir");
const keys = {
  TRUNKLINE_API_KEY: "tl_0123456789abcdef0123456789abcdef",
  TRUNKLINE_POOL_KEY: "tlp_0123456789abcdef0123456789abcdef",
  WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
};
let server: Server;
let receiver: ChildProcess;
let received = "";

before(async () => {
  const port = await freePort();
  receiver = spawn(process.execPath, [example("webhook-receiver.mjs")], {
    env: { ...keys, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  receiver.stdout?.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  server = await startServer({
    env: {
      ...keys,
      WEBHOOK_URL: `http://127.0.0.1:${port}/`,
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_PROVISION: example("provision.yaml"),
      TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
      TRUNKLINE_MASTER_KEY: "a master key for the examples alone",
    },
    port: await freePort(),
    logFile: join(folder, "server.log"),
  });
});

after(async () => {
  receiver?.kill();
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs an example to its end. */
function run(program: string, name: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, ...keys, BASE_URL: server.base };
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile(program, [example(name), ...args], { env, timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : error.code, stdout, stderr }),
    ),
  );
}

const python = spawnSync("python3", ["--version"]).status === 0 ? ["python3"] : [];

// Side by side, because they wait: each asks once a second whether its message has ended.
describe("the example", { concurrency: true }, () => {
  for (const program of [process.execPath, ...python]) {
    const name = program === "python3" ? "send.py" : "send.mjs";

    test(`${name} sends a message and sees it delivered, and its webhook arrives`, async () => {
      const ran = await run(program, name, "+15550000001", "Hello");
      assert.equal(ran.status, 0, ran.stderr);
      const [first = "", last = ""] = ran.stdout.trim().split("\n");
      const id = first.split(" ")[0] ?? "";
      assert.match(id, /^msg_/);
      assert.equal(first, `${id} queued`);
      assert.equal(last, `${id} delivered`);
      // The receiver checks the signature before it prints.
      await until(() => received.includes(`message.delivered ${id}\n`));
    });

    test(`${name} ends with 1 for a message that was refused, and for a number that is not one`, async () => {
      const refused = await run(program, name, "+15550000003", "Hello");
      assert.equal(refused.status, 1, refused.stderr);
      assert.match(refused.stdout, / failed\n$/);
      const invalid = await run(program, name, "no number", "Hello");
      assert.equal(invalid.status, 1);
      assert.match(invalid.stderr, /422/);
    });
  }

  test("chat.mjs streams a completion", async () => {
    const ran = await run(process.execPath, "chat.mjs", "Hello from the example");
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /Hello from the example/);
  });
});

/** Waits for output of a process, which has no clock of ours; the test's own limit ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((next) => receiver.stdout?.once("data", next));
}

// A socket file: who may connect, and what becomes of a file that a killed process left.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { isListening, listenAtSocketFile, type SocketFile } from "#runtime/net/socket-file.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-socket-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function opened(path: string): Promise<SocketFile> {
  const socket = await listenAtSocketFile(path, (connection) => connection.end("hello"));
  assert.ok("close" in socket, JSON.stringify(socket));
  return socket;
}

test("only its owner may connect, and each connection is handed over", async () => {
  const path = join(folder, "own");
  const before = process.umask();
  const socket = await opened(path);
  assert.equal(process.umask(), before);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(await isListening(path), true);
  let received = "";
  const client = connect(path);
  client.setEncoding("utf8").on("data", (text) => {
    received += text;
  });
  await once(client, "close");
  assert.equal(received, "hello");
  socket.close();
  assert.equal(existsSync(path), false);
  assert.equal(await isListening(path), false);
});

test("the file of a running process is not taken", async () => {
  const path = join(folder, "taken");
  const socket = await opened(path);
  assert.deepEqual(await listenAtSocketFile(path, () => {}), { reason: "IN_USE" });
  assert.equal(await isListening(path), true);
  socket.close();
});

test("a folder at its path is named", async () => {
  const path = join(folder, "a-folder");
  mkdirSync(path);
  assert.deepEqual(await listenAtSocketFile(path, () => {}), { reason: "NOT_A_SOCKET" });
});

test("the file that a killed process left is replaced", async () => {
  const path = join(folder, "left");
  const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "close");
  assert.equal(existsSync(path), true);
  const socket = await opened(path);
  assert.equal(await isListening(path), true);
  socket.close();
});

test("what cannot be has its reason", async () => {
  const long = join(folder, "x".repeat(120));
  assert.deepEqual(await listenAtSocketFile(long, () => {}), { reason: "TOO_LONG" });
  assert.deepEqual(await listenAtSocketFile(join(folder, "none", "socket"), () => {}), { reason: "EACCES" });
});

test("a file of another kind has no listener", async () => {
  const path = join(folder, "text");
  writeFileSync(path, "no socket");
  assert.equal(await isListening(path), false);
});

// Compiled code is kept between starts of the service: in the data folder as a user starts it, in one folder for all tests.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort, type Server, startServer } from "../faults/server.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-compiled-"));
let server: Server | null = null;
after(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const start = async (data: string, env: Record<string, string>, ownCache: boolean, entry?: string) => {
  server = await startServer({
    port: await freePort(),
    logFile: join(folder, `${data}.log`),
    env: { TRUNKLINE_DATA_DIR: join(folder, data), ...env },
    ownCache,
    ...(entry !== undefined && { entry }),
  });
  return server;
};
const kept = (name: string) => readdirSync(join(folder, name), { recursive: true }).length;

test("a first start compiles the bundle, and its end keeps that in the data folder", async () => {
  const { signal, ended } = await start("data", {}, true);
  signal("SIGTERM");
  assert.deepEqual(await ended, { code: 0, signal: null });
  assert.ok(kept("data/cache") > 15);
});

test("the sources run where there is no bundle", async () => {
  const entry = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const { signal, ended } = await start("sources", {}, false, entry);
  signal("SIGTERM");
  assert.deepEqual(await ended, { code: 0, signal: null });
});

test("with a folder of its own it is shared, and is filled although the service is killed", async () => {
  const { base, kill } = await start("other", { NODE_COMPILE_CACHE: join(folder, "shared") }, false);
  // What is written once it listens is written before it answers.
  assert.equal((await fetch(`${base}/health/live`)).status, 200);
  await kill();
  assert.ok(!existsSync(join(folder, "other/cache")));
  assert.ok(kept("shared") > 15);
});

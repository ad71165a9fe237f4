// The browser that the journeys share ends with them, however they end.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { missing, sharedVariable } from "./shared.ts";

const journey = `
  import { connectBrowser } from ${JSON.stringify(new URL("shared.ts", import.meta.url).href)};
  const browser = await connectBrowser();
  await (await browser.newContext()).newPage();
  console.log("open");
`;

test("killed tests leave no browser and no files behind", { skip: missing }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tl-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { [sharedVariable]: _shared, ...env } = process.env;
  const tests = spawn(process.execPath, ["--input-type=module", "--eval", journey], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...env, TMPDIR: folder },
  });
  const errors: string[] = [];
  tests.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const open = await Promise.race([once(tests.stdout, "data"), once(tests, "exit")]);
  assert.equal(String(open[0]), "open\n", errors.join(""));
  assert.notDeepEqual(readdirSync(folder), []);
  // The keeper has the other end of this pipe too, and closes it when it is gone.
  const ended = once(tests.stderr, "close");
  tests.kill("SIGKILL");
  await ended;
  assert.deepEqual(readdirSync(folder), []);
  assert.deepEqual(errors, []);
});

// How commands are written, as the process was started.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commandWords, version } from "#runtime/program.ts";

test("a process that a script of a clone started asks for scripts, and any other for the command", () => {
  const clone = ["--env-file-if-exists=.env"];
  assert.equal(commandWords("", clone), "npm start");
  assert.equal(commandWords("key acme", clone), "npm start -- key acme");
  assert.equal(commandWords("backup FILE", clone), "npm run backup -- FILE");
  assert.equal(commandWords("install-whatsapp", clone), "npm run whatsapp:install");
  assert.equal(commandWords("", []), "trunkline");
  assert.equal(commandWords("key acme", ["--env-file=.env"]), "trunkline key acme");
  const { dev } = JSON.parse(readFileSync("package.json", "utf8")).scripts;
  for (const text of [dev, readFileSync("bin/trunkline.mjs", "utf8")])
    assert.ok(text.includes(clone[0]), text);
});
test("the version is the one in package.json", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.equal(version, manifest.version);
});

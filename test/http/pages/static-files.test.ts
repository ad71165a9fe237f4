// A folder of built files, read into memory.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { readStaticFiles } from "#http/pages/static-files.ts";

test("files are found by their path, each with its compressed twin", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "page");
  writeFileSync(join(folder, "assets/main.js"), "script");
  writeFileSync(join(folder, "assets/main.js.gz"), "zipped");
  const files = readStaticFiles(folder);
  assert.deepEqual([...files.keys()].sort(), ["assets/main.js", "index.html"]);
  assert.equal(files.get("assets/main.js")?.gzip?.toString(), "zipped");
  assert.equal(files.get("index.html")?.gzip, null);
});

test("a file that is there compressed alone has its content all the same", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "main.js.gz"), gzipSync("script"));
  const file = readStaticFiles(folder).get("main.js");
  assert.equal(file?.bytes.toString(), "script");
  assert.equal(file?.gzip && gunzipSync(file.gzip).toString(), "script");
});

test("a folder that does not exist has no files", () => {
  assert.equal(readStaticFiles(join(tmpdir(), "trunkline-no-such-folder")).size, 0);
});

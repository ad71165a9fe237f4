// Which program a start takes: a bundle that was built from other sources is never taken.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isBundled, nodeFlags, programFile, sourceStamp } from "../../bin/program.mjs";
import { serviceProgram } from "../child-environment.ts";

// With characters that have a meaning in URLs.
const folder = mkdtempSync(join(tmpdir(), "trunkline 100%#"));
after(() => rmSync(folder, { recursive: true, force: true }));
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const build = () => put("build/service/stamp", sourceStamp(folder));

test("the sources run until they are bundled, and again once one of them, a package or the builder has changed", () => {
  put("src/main.ts", "");
  put("src/a/prices.json", "{}");
  put("package-lock.json", "{}");
  put("scripts/build-service.mjs", "");
  put("scripts/latin1.mjs", "");
  assert.equal(programFile(folder), join(folder, "src/main.ts"));
  put("build/service/main.mjs", "");
  assert.ok(!isBundled(folder), "without a stamp");
  const changes: (() => void)[] = [
    () => put("src/main.ts", "1"),
    () => put("src/a/prices.json", "[1]"),
    () => put("src/a/new.ts", ""),
    () => rmSync(join(folder, "src/a/new.ts")),
    () => utimesSync(join(folder, "src/main.ts"), 1, 1),
    () => put("package-lock.json", "[]"),
    () => put("scripts/build-service.mjs", "1"),
    () => put("scripts/latin1.mjs", "1"),
  ];
  for (const [number, change] of changes.entries()) {
    build();
    assert.equal(programFile(folder), join(folder, "build/service/main.mjs"));
    change();
    assert.ok(!isBundled(folder), `change ${number}`);
  }
  // The package and the image have none.
  rmSync(join(folder, "src"), { recursive: true });
  assert.ok(isBundled(folder));
});

test("what Node loads first is found in any folder", () => {
  put("scripts/compile-cache.mjs", "");
  const flags = nodeFlags(folder);
  const loaded = flags.filter((flag) => flag.startsWith("file:")).map((url) => fileURLToPath(url));
  assert.deepEqual(loaded, [join(folder, "scripts/compile-cache.mjs")]);
});

test("no file of the bundle imports node:http, which would load undici at every start", () => {
  const bundle = dirname(serviceProgram());
  // Files of older builds lie beside them.
  const files = new Set(["main.mjs"]);
  const importing: string[] = [];
  for (const name of files) {
    const text = readFileSync(join(bundle, name), "utf8");
    for (const [, file] of text.matchAll(/["`]\.\/([\w.-]+\.mjs)["`]/g)) files.add(file!);
    if (/\bfrom\s*"(node:)?http"/.test(text)) importing.push(name);
  }
  assert.ok(files.size > 50);
  assert.deepEqual(importing, []);
});

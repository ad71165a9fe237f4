// What a Node that is too old for the service prints. This process has Node 26, so the version is pretended.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { minNode } from "#runtime/program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pretend = (version: string) =>
  `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`,
  )}`;

/** Runs a file under a Node of this version. */
function underNode(version: string, file: string, cwd: string) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", pretend(version), file, "version"],
    { cwd, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

test("without the pinned Node, the command says which Node it needs and which it has, and ends", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-old-node-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ["bin", "package.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const version of ["20.20.2", "25.9.0"]) {
    const { status, stdout, stderr } = underNode(version, join(folder, "bin/trunkline.mjs"), folder);
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(
      stderr,
      new RegExp(`^trunkline: Trunkline needs Node 26, and this is Node ${version}\\. [^\\n]+\\n$`),
    );
    assert.match(stderr, /No pinned runtime|The package node-/);
  }
});

test("with the pinned Node among the packages, the command runs under it", () => {
  const { status, stdout } = underNode("20.20.2", join(root, "bin/trunkline.mjs"), root);
  assert.equal(status, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test("the service itself says it too, where another program starts it", () => {
  const { status, stdout, stderr } = underNode("24.1.0", join(root, "src/main.ts"), root);
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, /^trunkline: Trunkline needs Node 26, and this is Node 24\.1\.0\. [^\n]+\n$/);
  assert.equal(
    /minMajor = (\d+);/.exec(readFileSync(join(root, "bin/runtimes.mjs"), "utf8"))?.[1],
    String(minNode),
  );
});

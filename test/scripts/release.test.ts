// A release, made in a copy of this repository: version, changelog, tag, package, bill of materials, checksums.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";
import {
  bumped,
  bumpedChart,
  checkNext,
  checkPrices,
  cutChangelog,
  notesOf,
} from "../../scripts/release-changes.ts";
import { builtDashboard } from "../ui/shared.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "trunkline-release-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a version comes after the present one, and a release after its candidates", () => {
  for (const [current, next] of [
    ["0.1.0", "0.1.1"],
    ["0.9.9", "0.10.0"],
    ["0.2.0-rc.1", "0.2.0"],
    ["1.2.3", "2.0.0-rc.1"],
  ] as const)
    assert.doesNotThrow(() => checkNext(current, next));
  for (const [current, next] of [
    ["0.2.0", "0.2.0"],
    ["0.2.0", "0.2.0-rc.1"],
    ["0.10.0", "0.9.0"],
  ] as const)
    assert.throws(() => checkNext(current, next), /does not come after/);
  assert.throws(() => checkNext("0.1.0", "v0.2"), /is no version/);
});

test("list prices may be sixty days old at a release", () => {
  assert.doesNotThrow(() => checkPrices("2026-09-29", "2026-11-28"));
  assert.throws(() => checkPrices("2026-09-28", "2026-11-28"), /61 days old.*npm run prices/);
});

test("the changelog is cut, and its part becomes the notes", () => {
  const before =
    "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n";
  const cut = cutChangelog(before, "0.2.0", "2026-11-26");
  assert.match(cut, /^## Unreleased\n\n## 0\.2\.0 \(2026-11-26\)\n\n### Added$/m);
  assert.equal(notesOf(cut, "0.2.0"), "### Added\n\n- A thing.");
  assert.equal(notesOf(cut, "0.1.0"), "- Old.");
  assert.throws(() => cutChangelog(cut, "0.3.0", "2026-11-27"), /Nothing is unreleased/);
});

test("only the version of the root changes", () => {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  const { version } = JSON.parse(lock) as { version: string };
  assert.equal(bumped(lock, version), lock);
  const changed = bumped(lock, "9.9.9").split("\n");
  const lines = lock.split("\n").filter((line, at) => line !== changed[at]);
  assert.equal(lines.length, 2);
});

test("no other test names the present version: a release checks before it raises it", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const naming = globSync("**/*.ts", { cwd: join(root, "test"), exclude: ["**/node_modules/**"] }).filter(
    (path) =>
      path !== join("scripts", "release.test.ts") &&
      readFileSync(join(root, "test", path), "utf8").includes(`"${version}"`),
  );
  assert.deepEqual(naming, []);
});

test("the chart has the version twice", () => {
  const chart = readFileSync(join(root, "deploy/helm/trunkline/Chart.yaml"), "utf8");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  assert.equal(bumpedChart(chart, version), chart);
  assert.deepEqual(bumpedChart(chart, "9.9.9").match(/^.*9\.9\.9.*$/gm), [
    "version: 9.9.9",
    'appVersion: "9.9.9"',
  ]);
});

test("a release of this repository", async () => {
  const copy = join(folder, "copy");
  const git = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync("git", ["-C", copy, ...args], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const tracked = spawnSync(
    "git",
    ["-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      encoding: "utf8",
    },
  );
  for (const path of tracked.stdout.split("\0").filter((name) => name !== ""))
    cpSync(join(root, path), join(copy, path), { recursive: true, force: true, errorOnExist: false });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  cpSync(join(root, await builtDashboard()), join(copy, "ui/dist"), { recursive: true });
  // Right after a release nothing is unreleased.
  const changelog = readFileSync(join(copy, "CHANGELOG.md"), "utf8");
  const more = "## Unreleased\n\n### Added\n\n- Something.\n";
  writeFileSync(join(copy, "CHANGELOG.md"), changelog.replace("## Unreleased\n", more));
  // In the repository they may be older; then a release waits for `npm run prices`.
  const pricesPath = join(copy, "src/providers/prices/list-prices.json");
  const prices = readFileSync(pricesPath, "utf8");
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(pricesPath, prices.replace(/"date": "[\d-]+"/, `"date": "${today}"`));
  git("init", "--quiet");
  git("config", "user.name", "Release");
  git("config", "user.email", "release@trunkline.test");
  // A linked folder is a file to git.
  writeFileSync(join(copy, ".git/info/exclude"), "node_modules\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "before");
  const release = (...words: string[]) =>
    spawnSync(process.execPath, ["scripts/release.ts", ...words], {
      cwd: copy,
      encoding: "utf8",
      // Of its own, because the paths of this copy are never seen again.
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
    });

  const wrong = release("0.0.1", "--checked");
  assert.deepEqual([wrong.status, /does not come after/.test(wrong.stderr)], [1, true]);
  const made = release("9.9.9", "--checked");
  assert.equal(made.status, 0, made.stderr);
  assert.equal(git("log", "-1", "--format=%s %D").trim().includes("release: 9.9.9"), true);
  assert.equal(git("describe").trim(), "v9.9.9");
  assert.equal(git("status", "--porcelain"), "");
  const dist = (name: string) => readFileSync(join(copy, "dist", name));
  const bom = JSON.parse(dist("trunkline-9.9.9.cdx.json").toString());
  assert.equal(bom.bomFormat, "CycloneDX");
  const names = bom.components.map(({ name }: { name: string }) => name);
  assert.ok(names.includes("zod") && !names.includes("typescript"), `${names.length} components`);
  for (const line of dist("SHA256SUMS").toString().trim().split("\n")) {
    const [sum, name = ""] = line.split("  ");
    assert.equal(createHash("sha256").update(dist(name)).digest("hex"), sum, name);
  }
  assert.ok(dist("trunkline-9.9.9.tgz").length > 500_000);
  assert.match(dist("NOTES.md").toString(), /^### Added\n\n- Something\.$/m);
  const again = release("9.9.9", "--checked");
  assert.equal(again.status, 1);
});

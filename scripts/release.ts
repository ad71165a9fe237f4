// `npm run release -- VERSION`: makes a release of what is committed. It checks, writes the version and the changelog, commits, tags, and
// writes the package, its bill of materials, checksums and notes to `dist/`. It publishes nothing: pushing the tag does
// (`.github/workflows/release.yml`). `--checked`: the checks and tests have passed already on this commit.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bumped, bumpedChart, checkNext, checkPrices, cutChangelog, notesOf } from "./release-changes.ts";

const out = "dist";

function fail(sentence: string): never {
  console.error(`release: ${sentence}`);
  process.exit(1);
}

/** Runs a program to its end and returns its output; exits if it fails. */
function run(program: string, args: readonly string[], stdio: "pipe" | "inherit" = "pipe"): string {
  const windows = process.platform === "win32";
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", stdio, stdio === "inherit" ? "inherit" : "pipe"],
    maxBuffer: 64 * 1024 * 1024,
    shell: windows && program === "npm",
  });
  if (status !== 0)
    fail(`${program} ${args.join(" ")}: ${error?.message ?? stderr?.trim() ?? `ended with ${status}`}`);
  return stdout ?? "";
}

const [version = "", ...words] = process.argv.slice(2);
const isChecked = words.includes("--checked");
if (version === "" || words.some((word) => word !== "--checked"))
  fail("Name the version: npm run release -- 1.2.3");
const { version: current } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const date = new Date().toISOString().slice(0, 10);
const listed = JSON.parse(readFileSync("src/providers/prices/list-prices.json", "utf8")) as { date: string };
try {
  checkNext(current, version);
  checkPrices(listed.date, date);
} catch (error) {
  fail((error as Error).message);
}
const tag = `v${version}`;
if (run("git", ["status", "--porcelain"]) !== "") fail("There are changes that are not committed.");
if (run("git", ["tag", "--list", tag]).trim() !== "") fail(`There is a tag ${tag} already.`);

if (!isChecked) {
  run("npm", ["run", "check"], "inherit");
  run("npm", ["run", "test:all"], "inherit");
}

for (const path of ["package.json", "package-lock.json"])
  writeFileSync(path, bumped(readFileSync(path, "utf8"), version));
const chart = "deploy/helm/trunkline/Chart.yaml";
writeFileSync(chart, bumpedChart(readFileSync(chart, "utf8"), version));
const changelog = cutChangelog(readFileSync("CHANGELOG.md", "utf8"), version, date);
writeFileSync("CHANGELOG.md", changelog);
run("npm", ["run", "docs"]);
// The database of this version, for the upgrades of all later ones.
run(process.execPath, ["scripts/record-upgrade.ts"]);
run("git", ["add", "--all"]);
run("git", ["commit", "--quiet", "--message", `release: ${version}`]);
run("git", ["tag", "--annotate", tag, "--message", `Trunkline ${version}`]);

rmSync(out, { recursive: true, force: true });
run("npm", ["run", "package"]);
mkdirSync(out, { recursive: true });
const bom = run("npm", ["sbom", "--package-lock-only", "--omit", "dev", "--sbom-format", "cyclonedx"]);
writeFileSync(join(out, `trunkline-${version}.cdx.json`), bom);
writeFileSync(join(out, "NOTES.md"), `${notesOf(changelog, version)}\n`);
const files = readdirSync(out, { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => name)
  .sort();
const sums = files.map(
  (name) =>
    `${createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("hex")}  ${name}`,
);
writeFileSync(join(out, "SHA256SUMS"), `${sums.join("\n")}\n`);
console.log(`Trunkline ${version} is committed and tagged ${tag}. In ${out}/: ${[...files, "SHA256SUMS"].join(", ")}.
Publish it: git push --follow-tags`);

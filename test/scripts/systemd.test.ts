// The unit for systemd: systemd reads it without complaint, and judges it hardened.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";

const unit = fileURLToPath(new URL("../../deploy/systemd/trunkline.service", import.meta.url));
const analyze = (...args: string[]) => spawnSync("systemd-analyze", [...args, unit], { encoding: "utf8" });
const skip = spawnSync("systemd-analyze", ["--version"]).status === 0 ? false : "systemd-analyze is not here";

test("its exposure is at most 2.0", { skip }, () => {
  const { stdout } = analyze("security", "--offline=true", "--no-pager");
  const [, level] = /Overall exposure level[^:]*: (\d+(?:\.\d+)?)/.exec(stdout) ?? [];
  assert.ok(level !== undefined, stdout);
  assert.ok(Number(level) <= 2, level);
});

test("every line of it is known", { skip }, () => {
  const { stderr } = analyze("verify");
  // The program itself is not installed where the tests run.
  const lines = stderr.split("\n").filter((line) => line !== "" && !line.includes("is not executable"));
  assert.deepEqual(lines, []);
});

// The version is the release's own.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { version } from "#runtime/version.ts";

test("the version is the one in package.json", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.equal(version, manifest.version);
});

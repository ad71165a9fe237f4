// What a password costs in an installation: tests have a smaller cost, which no configuration can choose.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { readConfig } from "#config.ts";
import { openInstallation } from "../../src/command-line/open.ts";

test("passwords of an installation are hashed by argon2id with 19 MiB, 2 passes and 1 lane", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-cost-"));
  const read = readConfig({ TRUNKLINE_DATA_DIR: folder });
  assert.ok("config" in read);
  const { system } = await openInstallation(read.config);
  try {
    const hash = await system.core.passwords.hash("correct horse battery");
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  } finally {
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const chosen = readConfig({ TRUNKLINE_DATA_DIR: folder, TRUNKLINE_PASSWORD_COST: "1" });
  assert.deepEqual(chosen, { errors: ["TRUNKLINE_PASSWORD_COST is not a setting of this version."] });
});

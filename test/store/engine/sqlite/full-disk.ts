// Preloaded into a SQLite thread by its test: while the file that TRUNKLINE_TEST_FULL names exists, the
// database may not grow, which SQLite reports as it does a full disk.

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const flag = process.env.TRUNKLINE_TEST_FULL;
const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (this: DatabaseSync, text: string): void {
  if (text === "begin immediate" && flag !== undefined) {
    exec.call(this, `pragma max_page_count = ${existsSync(flag) ? 1 : 1_000_000_000}`);
  }
  exec.call(this, text);
};

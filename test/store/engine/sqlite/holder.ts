// A second process for the tests of the SQLite lock: opens the file that its argument names, says how that
// went, and holds it until its standard input closes or it is killed.

import { StorageError } from "#store/database.ts";
import { openSqlite } from "#store/engine/sqlite/sqlite.ts";

if (import.meta.main) {
  try {
    const database = await openSqlite({ path: process.argv[2]! });
    process.stdin.on("end", () => void database.close()).resume();
    process.stdout.write("open\n");
  } catch (error) {
    const fault = error instanceof StorageError ? error.fault : "none";
    process.stdout.write(`refused ${fault} ${error instanceof Error ? error.message : ""}\n`);
  }
}

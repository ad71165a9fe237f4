// The threads find operations by name: each exported operation is registered under the name of its export.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import test from "node:test";
import { readOperation } from "#store/database.ts";
import { operations, operationsOf } from "#store/operations.ts";

test("every operation that a file of the store exports is registered under its own name", async () => {
  const folder = new URL("./", import.meta.resolve("#store/operations.ts"));
  const exported: string[] = [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  // The thread's own file starts a thread when it is loaded.
  for (const file of files.filter((name) => name.endsWith(".ts") && !name.endsWith("sqlite/worker.ts"))) {
    const module: Record<string, unknown> = await import(new URL(file, folder).href);
    for (const [name, value] of Object.entries(module)) {
      if (typeof value !== "object" || value === null || !("access" in value) || !("run" in value)) continue;
      exported.push(name);
      assert.equal(operations.get(name), value, `${file}: ${name}`);
    }
  }
  assert.ok(exported.length > 100);
  assert.deepEqual([...operations.keys()], exported.sort());
});

test("other exports are left out, and two operations with one name are refused", () => {
  const first = readOperation("first", async () => 1);
  const second = readOperation("second", async () => 2);
  const found = operationsOf([
    { second, maxRows: 3, table: { name: "first" } },
    { first, type: null },
  ]);
  assert.deepEqual(
    [...found],
    [
      ["first", first],
      ["second", second],
    ],
  );
  assert.throws(() => operationsOf([{ first }, { again: readOperation("first", async () => 3) }]), {
    message: "Two operations are called first.",
  });
});

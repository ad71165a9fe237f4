// The threads find operations by name: every one is there, under the name it is exported by.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import test from "node:test";
import { operations } from "#store/operations.ts";

test("every operation of the folder is registered under its own name", async () => {
  const folder = new URL("./", import.meta.resolve("#store/operations.ts"));
  const exported: string[] = [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  // The threads' own file starts a thread when it is loaded.
  for (const file of files.filter((name) => name.endsWith(".ts") && !name.endsWith("sqlite/worker.ts"))) {
    const module: Record<string, unknown> = await import(new URL(file, folder).href);
    for (const [name, value] of Object.entries(module)) {
      if (typeof value !== "object" || value === null || !("gathered" in value) || !("run" in value))
        continue;
      exported.push(name);
      assert.equal(operations.get(name), value, `${file}: ${name}`);
    }
  }
  assert.ok(exported.length > 20);
  assert.deepEqual([...operations.keys()].sort(), exported.sort());
});

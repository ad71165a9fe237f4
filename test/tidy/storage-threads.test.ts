// What SQLite's two threads load: each runs every operation, so all that the store imports costs both of them memory.

import assert from "node:assert/strict";
import test from "node:test";
import { readSources } from "./source.ts";

test("the storage threads load no zod", () => {
  const files = new Map(readSources("src").map((file) => [file.path, file]));
  const reached = new Set<string>();
  const found: string[] = [];
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { specifier, target, line, typeOnly } of files.get(path)?.imports ?? []) {
      if (typeOnly) continue;
      if (specifier === "zod") found.push(`${path}:${line}`);
      else if (target !== null) visit(target);
    }
  };
  for (const path of files.keys()) if (path.startsWith("src/store/")) visit(path);
  assert.ok(reached.has("src/contract/messages/channel.ts"), "imports are followed");
  assert.deepEqual(found, []);
});

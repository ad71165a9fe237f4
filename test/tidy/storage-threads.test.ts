// What SQLite's two threads load: each runs every operation, so all that the store imports costs both of them memory.

import assert from "node:assert/strict";
import test from "node:test";
import { loadedBy, readSources } from "./source.ts";

test("the storage threads load no zod", () => {
  const files = readSources("src");
  const stores = files.map(({ path }) => path).filter((path) => path.startsWith("src/store/"));
  const reached = loadedBy(files, stores);
  const found = files
    .filter(({ path }) => reached.has(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier, typeOnly }) => specifier === "zod" && !typeOnly)
        .map(({ line }) => `${path}:${line}`),
    );
  assert.ok(reached.has("src/contract/messages/channel.ts"), "imports are followed");
  assert.deepEqual(found, []);
});

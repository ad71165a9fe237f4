// Exports are for other files: what only its own file uses is not exported.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import test from "node:test";
import { unusedExports } from "./exports.ts";

/** Generated: they have the schemas that the document has. */
const generated = ["ui/src/api/schema.ts", "clients/typescript/src/types.ts"];

const texts = (patterns: string[]) =>
  new Map(
    globSync(patterns, { exclude: ["**/node_modules/**"] }).map((path) => [path, readFileSync(path, "utf8")]),
  );

test("the rule finds what no other file uses", () => {
  const files = new Map([
    [
      "src/a.ts",
      "export const one = 1;\nexport function two() {}\nexport type Three = 3;\nconst four = 4;\nexport { four };\n",
    ],
    ["src/b/c.ts", 'import { one, type Three as Drei } from "../a.ts";\nexport async function five() {}\n'],
    ["src/d.ts", 'export const { six, seven: eight } = await import("./b/c.ts");\n'],
    ["test/a.test.ts", 'import { four } from "#a.ts";\n'],
  ]);
  assert.deepEqual(
    unusedExports(files, files).map(({ path, name, line }) => `${path}:${line} ${name}`),
    ["src/a.ts:2 two", "src/d.ts:1 six", "src/d.ts:1 eight"],
  );
});

test("no export is used in its own file alone", () => {
  const files = texts([
    "src/**/*.ts",
    "ui/src/**/*.{ts,tsx}",
    "bridge/whatsapp/*.ts",
    "clients/typescript/src/*.ts",
  ]);
  const users = texts([
    "{src,test,bench,scripts,examples}/**/*.{ts,mjs}",
    "ui/*.ts",
    "ui/src/**/*.{ts,tsx}",
    "bridge/**/*.{ts,mjs}",
    "clients/typescript/src/*.ts",
  ]);
  assert.ok(files.size > 600 && users.size > files.size);
  for (const path of generated) files.delete(path);
  const found = unusedExports(files, users).map(({ path, name, line }) => `${path}:${line} ${name}`);
  assert.deepEqual(found, [], "Drop the keyword; what is unused then is dead.");
});

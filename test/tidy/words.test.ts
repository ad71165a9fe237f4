// Words that sentences of the sources, programs and docs do not use, because they leave out who does something.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import test from "node:test";

const unclear = /\b(?:nobody|whoever|somebody|whatever|lately|goes by|is told)\b/gi;
/** The generated OpenAPI document repeats the sources. */
const searched = [
  "{src,scripts,bench,ui/src}/**/*.{ts,tsx,mjs}",
  "bridge/whatsapp/*.ts",
  "{docs,bench,examples}/**/*.md",
  "examples/*.{mjs,py,yaml}",
  "*.md",
  ".env.example",
];

test("sentences name who does something", () => {
  const paths = globSync(searched);
  assert.ok(paths.length > 500 && paths.includes("README.md") && paths.includes("bench/run.ts"));
  const found = paths.flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line, at) => [...line.matchAll(unclear)].map(([word]) => `${path}:${at + 1} ${word}`)),
  );
  assert.deepEqual(found, []);
});

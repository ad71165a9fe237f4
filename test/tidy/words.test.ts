// Words that sentences of the sources and the docs do not use, because they leave out who does something.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import test from "node:test";
import { readSources } from "./source.ts";

/** `"nobody"` in quotes is a value of the audit log. */
const unclear = /\b(?:whoever|somebody|goes by)\b|(?<!")\bnobody\b/gi;

test("sentences name who does something", () => {
  const pages = globSync(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/*.md"]);
  const texts = [
    ...readSources("src").map(({ path, text }) => ({ path, text })),
    ...pages.map((path) => ({ path, text: readFileSync(path, "utf8") })),
  ];
  assert.ok(texts.length > 400 && pages.length > 5);
  const found = texts.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, at) => [...line.matchAll(unclear)].map(([word]) => `${path}:${at + 1} ${word}`)),
  );
  assert.deepEqual(found, []);
});

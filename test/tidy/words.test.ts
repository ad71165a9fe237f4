// Words that sentences and names of the sources, tests, programs and docs do not use: they leave out who does something, or
// the field has another word for it.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import test from "node:test";
import { lineAt, readSources } from "./source.ts";

const unclear =
  /\b(?:nobody|somebody|whoever|whatever|lately|stands(?! for\b)|goes by|(?<!there )is none|(?:is|are|was|were|be|been|being) told(?! apart))\b/gi;
/** Limits are `max…` and `min…`, usual values `default…`; what was told is `reported`, `notified` or a `message`. */
const names =
  /\b(?:(?:most|longest|usual|least)(?:[A-Z]\w*)?|(?:\w*[a-z])?(?:Told|Said|Wanted|Given|Strangers?)|(?:told|said|wanted|given|strangers?)(?:[A-Z]\w*)?)\b/g;
/** Names that are superlatives, not limits. */
const exceptions: Record<string, string> = {
  leastBusy: "the lanes with the least work",
  longest: "the longest of those compared so far",
  longestFirst: "an order",
  longestString: "the longest of all strings in a value",
  mostUsefulFailure: "the failure that tells the client most",
};
/** The generated OpenAPI document and types repeat the sources. */
const searched = [
  "{src,scripts,bench,ui/src}/**/*.{ts,tsx,mjs,css}",
  "bridge/whatsapp/*.ts",
  "clients/typescript/{src/*.ts,*.mjs}",
  "clients/*/README.md",
  "integrations/n8n/{credentials,nodes}/**/*.ts",
  "integrations/n8n/*.{md,mjs}",
  "{docs,bench,examples}/**/*.md",
  "examples/*.{mjs,py,yaml}",
  "*.md",
  "test/**/*.{ts,md}",
  ".env.example",
];
/** The words themselves, and an account of the operating system. */
const exempt = [/^test\/tidy\/words\.test\.ts:/, /^test\/postgres\.ts:\d+ nobody$/];

test("sentences name who does something", () => {
  const paths = globSync(searched, { exclude: ["**/node_modules/**"] });
  assert.ok(paths.length > 500 && paths.includes("README.md") && paths.includes("bench/run.ts"));
  const found = paths.flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line, at) => [...line.matchAll(unclear)].map(([word]) => `${path}:${at + 1} ${word}`)),
  );
  assert.deepEqual(
    found.filter((word) => !exempt.some((reason) => reason.test(word))),
    [],
  );
});

test("names are the field's", () => {
  const files = [
    "src",
    "ui/src",
    "bridge",
    "bench",
    "scripts",
    "test",
    "clients/typescript/src",
    "integrations",
  ].flatMap(readSources);
  assert.ok(files.length > 500);
  const found = files.flatMap((file) =>
    [...file.bare.matchAll(names)]
      .filter(([name]) => !(name in exceptions))
      .map(({ 0: name, index }) => `${file.path}:${lineAt(file.bare, index)} ${name}`),
  );
  assert.deepEqual(found, []);
});

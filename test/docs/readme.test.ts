// README.md is read in a minute: one screen, short sentences, a command before the reader scrolls.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { blocksOf, proseOf } from "./pages.ts";

const lines = readFileSync("README.md", "utf8").split("\n");

test("it has at most 60 lines, a picture and its first command among the first 15", () => {
  assert.ok(lines.length <= 60, `${lines.length} lines`);
  const [command, request] = blocksOf("README.md");
  assert.equal(command?.code, "npm start\n");
  assert.ok(command.line <= 15, `line ${command.line}`);
  assert.match(request?.code ?? "", /^curl /);
  const pictures = lines.filter((line) => line.startsWith("!["));
  assert.equal(pictures.length, 1);
});

test("no sentence has more than 20 words", () => {
  const prose = proseOf("README.md")
    .replace(/<!--.*?-->|^!\[.*$|^\|.*$|^#.*$/gm, "")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/^- /gm, "\n\n");
  const sentences = prose.split(/\n\n+|(?<=[.:!?]\**)\s/);
  const long = sentences.filter(
    (sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length > 20,
  );
  assert.deepEqual(long, []);
  assert.ok(sentences.length > 15);
});

test("it has six lines of what it is for, and one line for whom it is not", () => {
  const start = lines.indexOf("## What it is for");
  const part = lines.slice(start + 1, lines.indexOf("## Where to go"));
  assert.equal(part.filter((line) => line.startsWith("- ")).length, 6);
  assert.equal(part.filter((line) => line.startsWith("**Not for you**")).length, 1);
});

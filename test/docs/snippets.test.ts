// The programs in the README and in docs/ bring along what they use, so that a copy of one runs.

import assert from "node:assert/strict";
import test from "node:test";
import { blocksOf as allBlocksOf, guides as pages } from "./pages.ts";

/** The blocks of a page in one language. */
const blocksOf = (page: string, language: string): string[] =>
  allBlocksOf(page)
    .filter((block) => block.language === language)
    .map(({ code }) => code);

/** Texts and comments say nothing about names. */
const bare = (block: string) =>
  block.replace(/`[^`]*`|"[^"\n]*"|'[^'\n]*'/g, '""').replace(/(?:\/\/|#).*$/gm, "");

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name ?? "");

test("what a block in JavaScript calls or makes is imported, declared there, or everywhere", () => {
  const missing: string[] = [];
  let count = 0;
  for (const page of pages)
    for (const block of blocksOf(page, "js")) {
      count += 1;
      const text = bare(block);
      const imported = matches(text, /^import (?:\{ )?([\w, ]+?)(?: \})? from/gm).flatMap((names) =>
        names.split(", "),
      );
      const declared = matches(text, /\b(?:const|function|class)\s+(\w+)/g);
      const used = matches(text, /(?<![.\w])(?:new |await )?([A-Za-z_]\w*)\(/g);
      for (const name of used)
        if (
          ![...imported, ...declared].includes(name) &&
          !(name in globalThis) &&
          !/^(?:if|for|while|catch|switch)$/.test(name)
        )
          missing.push(`${page}: ${name}`);
    }
  assert.deepEqual(missing, []);
  assert.ok(count >= 3);
});

test("what a block in Python makes is imported, and each module that it names", () => {
  const missing: string[] = [];
  let count = 0;
  for (const page of pages)
    for (const block of blocksOf(page, "python")) {
      count += 1;
      const text = bare(block);
      const imported = [
        ...matches(text, /^import ([\w, ]+)$/gm),
        ...matches(text, /^from [\w.]+ import ([\w, ]+)$/gm),
      ].flatMap((names) => names.split(", "));
      const used = [
        ...matches(text, /(?<![.\w])([A-Z]\w*)\(/g),
        ...matches(text, /(?<![.\w])(os|sys|json|time)\./g),
      ];
      for (const name of used) if (!imported.includes(name)) missing.push(`${page}: ${name}`);
    }
  assert.deepEqual(missing, []);
  assert.ok(count >= 2);
});

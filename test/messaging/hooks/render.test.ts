// Filling a template: each value is escaped where it is written, and texts are made fit for lines.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { parseTemplate } from "#contract/hooks/template.ts";
import { fill, htmlText, plainText, singleLine } from "#messaging/hooks/render.ts";

const filling = { missing: "-", maxLength: 1_000, escape: (value: string) => `<${value}>` };

function filled(text: string, body: unknown) {
  const parsed = parseTemplate(text);
  assert.ok(parsed.kind === "parsed");
  return fill(parsed.template, body, filling);
}

test("values, texts in quotes and what stands for a missing value are escaped, the template is not", () => {
  const { text, missing } = filled('(a) {{a}} {{none | "b"}} {{none}} {{#each list}}[{{this}}]{{/each}}', {
    a: 1,
    list: ["x"],
  });
  assert.equal(text, "(a) <1> <b> <-> [<x>]");
  assert.deepEqual(missing, ["none"]);
});

test("no text is added beyond the length, but what the template has itself", () => {
  const { text } = filled("{{a}}{{a}}{{a}}.", { a: "x".repeat(5_000) });
  assert.equal(text, `<${"x".repeat(999)}…>.`);
});

const texts = fc.string({ unit: "binary", maxLength: 200 });

test("a plain text, a line and a text in HTML are what they should be, for any text", () => {
  fc.assert(
    fc.property(texts, (text) => {
      assert.doesNotMatch(plainText(text, 50), /[^\P{Cc}\n]|[ \n]$|\n{3}/u);
      assert.ok(plainText(text, 50).length <= 50);
      assert.doesNotMatch(singleLine(text, 50), /[\p{Cc}\p{Zl}\p{Zp}]/u);
      assert.doesNotMatch(htmlText(text).replaceAll("<br>\n", ""), /[<>"'\n]|&(?!(?:amp|lt|gt|quot|#39);)/);
    }),
    { numRuns: 1_000 },
  );
});

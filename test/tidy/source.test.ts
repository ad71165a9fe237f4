// The tidy rules can see: what the scanner shows of a file that tries to hide things from it.

import assert from "node:assert/strict";
import test from "node:test";
import { outsideWorld } from "./borders.ts";
import { findCode, hasLogic, parseSource } from "./source.ts";

test("a scanned file shows code and imports at their lines, not comments and texts", () => {
  const planted = parseSource(
    "src/queue/planted.ts",
    [
      "// Date.now() in a comment is nothing",
      'import { a } from "#http/app.ts"; import type { B } from "./b.ts";',
      "const text = 'setTimeout(x)' + `console.log @{Date.now() + `@{Math.random()}`} fetch(`;".replaceAll(
        "@",
        "$",
      ),
      "const half = 4 / 2; const slash = /[/\"']process.env/.test(text) ? 1 / 3 : await import('pg');",
      "const now = new Date(); const then = new Date(5); client.fetch(now, then, half, slash);",
      "export { c }",
      '  from "./c.ts";',
    ].join("\n"),
  );
  const found = outsideWorld.flatMap(({ pattern, name }) => findCode(planted, pattern, name));
  assert.deepEqual(found.map(({ what, line }) => `${line} ${what}`).sort(), [
    "3 Date.now",
    "3 Math.random",
    "5 new Date() without argument",
  ]);
  assert.deepEqual(
    planted.imports.map(({ target, specifier, line, lazy, typeOnly }) => [
      target ?? specifier,
      line,
      lazy,
      typeOnly,
    ]),
    [
      ["src/http/app.ts", 2, false, false],
      ["src/queue/b.ts", 2, false, true],
      ["pg", 4, true, false],
      ["src/queue/c.ts", 7, false, false],
    ],
  );
});

test("a scanned file shows its regular expressions, and not what looks like one", () => {
  const { regexes } = parseSource(
    "src/a.ts",
    ["const a = b / c / d; // /no/", 'f("/no/", `/no/`, /[/"]x\\/y/gi);', "return /^z$/.test(a);"].join("\n"),
  );
  assert.deepEqual(regexes, [
    { source: '[/"]x\\/y', flags: "gi", line: 2 },
    { source: "^z$", flags: "", line: 3 },
  ]);
});

test("types alone are no logic", () => {
  assert.equal(
    hasLogic(
      parseSource("src/a.ts", "export interface A { run(x: number): () => void }\nexport const b = 1;"),
    ),
    false,
  );
  assert.equal(hasLogic(parseSource("src/a.ts", "export type A = 1;\nexport const b = (x: A) => x;")), true);
});

// Stack traces of the bundle, against Node's own reader of source maps.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { test } from "node:test";
import { sourceStack } from "#runtime/log/source-stack.ts";
import { installation } from "#runtime/program.ts";
import { serviceProgram } from "../../child-environment.ts";

test("a stack trace names the sources, as Node's own maps do", () => {
  serviceProgram();
  const bundle = new URL("build/service/", installation);
  for (const file of ["store-engine-sqlite-worker.mjs", "gateways-email-reports-thread.mjs"]) {
    const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`, bundle), "utf8")));
    const places = readFileSync(new URL(file, bundle), "utf8")
      .split("\n")
      .flatMap((text, line) =>
        Array.from({ length: Math.floor(text.length / 97) }, (_, index) => ({ line, column: index * 97 })),
      );
    const found = sourceStack(
      places.map(({ line, column }) => `    at f (${bundle}${file}:${line + 1}:${column + 1})`).join("\n"),
    ).split("\n");
    let named = 0;
    for (const [index, { line, column }] of places.entries()) {
      const entry = map.findEntry(line, column);
      if (!("originalSource" in entry) || entry.generatedLine !== line) continue;
      // A helper of the bundle has no source.
      const own = entry.originalSource as string | undefined;
      const source =
        own === undefined
          ? `${bundle}${file}:${line + 1}:${column + 1}`
          : `${own.replace("../../", "")}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
      assert.equal(found[index], `    at f (${source})`);
      if (own !== undefined) named += 1;
    }
    assert.ok(named > 20, `${file}: ${named}`);
  }
});

test("what has no map stays as it is", () => {
  const stack = `Error: x\n    at f (${new URL("build/service/none-0.mjs", installation)}:1:2)\n    at g (node:fs:3:4)`;
  assert.equal(sourceStack(stack), stack);
});

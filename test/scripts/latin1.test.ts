// Bundles without characters above U+00FF.

import assert from "node:assert/strict";
import { SourceMap, type SourceMapPayload } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { rolldown } from "rolldown";
import { asLatin1 } from "../../scripts/latin1.mjs";

/** A bundle of one module. */
async function bundled(source: string): Promise<{ code: string; map: SourceMapPayload }> {
  const bundle = await rolldown({
    input: "entry",
    logLevel: "silent",
    plugins: [{ name: "text", resolveId: (id) => id, load: () => source }],
  });
  const { output } = await bundle.generate({
    sourcemap: true,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  return { code: output[0].code, map: JSON.parse(JSON.stringify(output[0].map)) as SourceMapPayload };
}

const run = async (code: string) => await import(`data:text/javascript,${encodeURIComponent(code)}`);

test("the code means the same, in texts, templates, regular expressions and names", async () => {
  const source = `const größe = "€ 😀 \\\\…", ж = 1;
export const texts = [größe, \`\${größe}→\${ж}\`, "日本".replace(/[本-東]/u, "x"), /^😀$/u.test("😀"), { "ключ": ж }];`;
  const before = await bundled(source);
  assert.match(before.code, /[^\0-\xff]/);
  const after = asLatin1(before.code, before.map);
  assert.doesNotMatch(after.code, /[^\0-\xff]/);
  assert.deepEqual({ ...(await run(after.code)) }, { ...(await run(before.code)) });
});

test("each place in the code has the source that it had", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("a", "é", "…", "😀", "ж", "本"), { maxLength: 12 }),
      fc.integer({ min: 0, max: 3 }),
      async (letters, lines) => {
        const text = JSON.stringify(letters.join(""));
        const source = Array.from(
          { length: 4 },
          (_, at) => `export function f${at}() { return [${text}, g(${text})]; }${"\n".repeat(lines)}`,
        ).join("\n");
        const before = await bundled(`${source}\nfunction g(value) { return value; }`);
        const after = asLatin1(before.code, before.map);
        const [mapBefore, mapAfter] = [new SourceMap(before.map), new SourceMap(after.map)];
        const rows = after.code.split("\n");
        for (const [row, line] of before.code.split("\n").entries()) {
          let column = 0;
          for (let at = 0; at < line.length; at += 1) {
            const where = mapAfter.findEntry(row, column);
            const was = mapBefore.findEntry(row, at);
            if ("originalLine" in was && "originalLine" in where)
              assert.deepEqual(
                [where.originalLine, where.originalColumn],
                [was.originalLine, was.originalColumn],
                `${rows[row]!.slice(0, column)}|`,
              );
            column += line.charCodeAt(at) > 0xff ? 6 : 1;
          }
        }
      },
    ),
    { seed: 53, numRuns: 20 },
  );
});

test("what an escape would change is refused", () => {
  const map = { mappings: "" };
  assert.throws(() => asLatin1("const a = String.raw`x…`;", map), /raw literal/);
  assert.throws(() => asLatin1("const a = /\\…/;", map), /backslash/);
  assert.equal(asLatin1("const a = '\\\\…';", map).code, "const a = '\\\\\\u2026';");
});

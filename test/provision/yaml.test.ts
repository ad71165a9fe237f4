// YAML, read and written.

import assert from "node:assert/strict";
import test from "node:test";
import { readYaml, yamlText } from "#provision/yaml.ts";

test("what is written is read again, without anchors and folded lines", () => {
  const twice = { key: "a: #b", long: "word ".repeat(60), list: [] };
  const text = yamlText({ a: twice, b: twice });
  assert.doesNotMatch(text, /&|\*/);
  assert.equal(text.trimEnd().split("\n").length, 8);
  assert.deepEqual(readYaml(text), { value: { a: twice, b: twice } });
  assert.deepEqual(readYaml('{"a":1}'), { value: { a: 1 } });
});

test("a text that is no YAML has the line of the error; one with too many aliases has none", () => {
  assert.deepEqual(readYaml("a: 1\nb: [s3cret\n"), { line: 3 });
  const doubled = Array.from(
    { length: 12 },
    (_, at) => `a${at}: &a${at} [${at === 0 ? "x" : `*a${at - 1}, *a${at - 1}`}]`,
  );
  assert.deepEqual(readYaml(doubled.join("\n")), { line: null });
});

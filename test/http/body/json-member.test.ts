// One member found in the bytes of a JSON text: the same answer as JSON.parse, for any text.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { findMember } from "#http/body/json-member.ts";

const maxDepth = 32;

/** What JSON.parse says: the member's value; null: no JSON, no object, no such member, or too deep. */
function expected(text: string): { value: unknown } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return Object.hasOwn(value, "api_key") ? { value: (value as { api_key: unknown }).api_key } : null;
}

function found(text: string): { value: unknown } | null {
  const bytes = findMember(Buffer.from(text), "api_key", maxDepth);
  return bytes === null ? null : { value: JSON.parse(bytes.toString()) };
}

const cases: string[] = [
  "",
  " ",
  "{}",
  '{"api_key":"a"}',
  ' {\n"api_key"\t:\r"a" } ',
  '{"api\\u005fkey":"a"}',
  '{"\\u0061\\u0070\\u0069\\u005f\\u006b\\u0065\\u0079":"a"}',
  '{"api_key":"a","api_key":"b"}',
  '{"api_key":"a","api\\u005fkey":{"c":1}}',
  '{"api_key":"a","b":{"api_key":"c"}}',
  '{"b":[{"api_key":"c"}]}',
  '{"b":{"api_key":"c"},"api_key":1.5e-3}',
  '[{"api_key":"a"}]',
  '{"x":"{\\"api_key\\":\\"a\\"}"}',
  '{"x":"\\\\","api_key":"a"}',
  '{"x":"}","y":"]","api_key":"a"}',
  '{"__proto__":{"api_key":"a"}}',
  '{"api_key":"a"',
  '{"api_key":"a"}x',
  '{"api_key":"a",}',
  '{"api_key" "a"}',
  '{"api_key":}',
  '{api_key:"a"}',
  "{'api_key':'a'}",
  '{"api_key":"a","b":01}',
  '{"api_key":"a","b":1.}',
  '{"api_key":"a","b":.5}',
  '{"api_key":"a","b":-}',
  '{"api_key":"a","b":+1}',
  '{"api_key":"a","b":1e}',
  '{"api_key":"a","b":-0.0E+10}',
  '{"api_key":"a","b":NaN}',
  '{"api_key":"a","b":nul}',
  '{"api_key":"a","b":"\\x"}',
  '{"api_key":"a","b":"\\u12g4"}',
  '{"api_key":"a","b":"\\ud800"}',
  '{"api_key":"a","b":"\n"}',
  '{"api_key":"a","b":[1,]}',
  '{"api_key":"a","b":[1 2]}',
  '{"api_key":"a","b":[}',
  '{"api_key":"a","b":{]}',
  '{"api_key":"a"}\0',
  '{"api_key":"a"}{"api_key":"b"}',
  '"api_key"',
  "\u00a0{}",
];
for (const text of cases) test(JSON.stringify(text), () => assert.deepEqual(found(text), expected(text)));

test("the text's nesting is bounded, wherever it is deep", () => {
  const deep = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)},"api_key":"k"}`;
  assert.deepEqual(found(deep(32)), { value: "k" });
  assert.equal(found(deep(33)), null);
  assert.equal(found("[".repeat(1_000_000)), null);
});

const key = fc.constantFrom("api_key", "api\\u005fkey", "api_keys", "API_KEY", "", "__proto__", "b");
const member = fc.tuple(key, fc.json({ maxDepth: 3 })).map(([name, value]) => `"${name}":${value}`);
const object = fc.array(member, { maxLength: 5 }).map((members) => `{${members.join(",")}}`);

test("objects with repeated, escaped and nested keys", () => {
  fc.assert(
    fc.property(object, (text) => assert.deepEqual(found(text), expected(text))),
    { numRuns: 2_000 },
  );
});

test("texts that went wrong on their way", () => {
  const change = fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\u0-.eE1tfn \n\t', ""), fc.boolean());
  fc.assert(
    fc.property(object, fc.array(change, { minLength: 1, maxLength: 3 }), (original, changes) => {
      let text = original;
      for (const [position, put, instead] of changes) {
        const at = position % (text.length + 1);
        text = text.slice(0, at) + put + text.slice(instead ? at + 1 : at);
      }
      assert.deepEqual(found(text), expected(text));
    }),
    { numRuns: 5_000 },
  );
});

// JSON text is changed in place: what was asked for changes, and not one byte more.
// Runs in a process of its own: V8 14.6 reads the key `"` as `\` once any object of the process has had the second one.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { hasSingleKey, listAt, membersOf, objectAt, withMembers } from "#contract/json-text.ts";

test("numbers, escapes and order stay as they came", () => {
  const text =
    '{ "model" : "m\\u00e4", "seed":12345678901234567890,"z":-0 , "a":[1e400,{"model":1}], "s":"a\\\\\\"}" }';
  assert.equal(
    withMembers(text, { model: '"x"' }),
    '{ "model" : "x", "seed":12345678901234567890,"z":-0 , "a":[1e400,{"model":1}], "s":"a\\\\\\"}" }',
  );
  assert.equal(withMembers(text, {}), text);
});

test("members are added behind the others, into an empty object too", () => {
  assert.equal(withMembers("{}", { a: "1" }), '{"a":1}');
  assert.equal(withMembers(' { "b" : [] } ', { a: "1", c: "{}" }), ' { "b" : [] ,"a":1,"c":{}} ');
});

test("members are dropped with their comma, the first, the middle and the last", () => {
  const text = '{"a":1, "b":2 ,"c":{"d":3}}';
  assert.equal(withMembers(text, { a: undefined }), '{"b":2 ,"c":{"d":3}}');
  assert.equal(withMembers(text, { b: undefined }), '{"a":1, "c":{"d":3}}');
  assert.deepEqual(JSON.parse(withMembers(text, { c: undefined })), { a: 1, b: 2 });
  assert.deepEqual(JSON.parse(withMembers(text, { a: undefined, b: undefined, c: undefined })), {});
  assert.deepEqual(JSON.parse(withMembers(text, { b: undefined, c: undefined, e: "4" })), { a: 1, e: 4 });
});

test("a key that is given twice, or is spelled with escapes, is still the key", () => {
  assert.deepEqual(
    membersOf('{"model":1,"mod\\u0065l":2}').map(({ key }) => key),
    ["model", "model"],
  );
  assert.equal(withMembers('{"model":1,"mod\\u0065l":2}', { model: "3" }), '{"model":3,"mod\\u0065l":3}');
});

test("any JSON, in any layout: the change is the one that was asked for", () => {
  // Not both a quote and a backslash: V8 14.6 mistakes one for the other where an object had the second before.
  const keys = fc.constantFrom("model", "a", "b", "stream", "", '"', "\n", "é");
  const objects = fc.dictionary(keys, fc.jsonValue());
  fc.assert(
    fc.property(
      objects,
      keys,
      fc.option(fc.jsonValue(), { nil: undefined }),
      fc.nat(3),
      (object, key, value, indent) => {
        const text = JSON.stringify(object, null, indent);
        const changed = withMembers(text, { [key]: value === undefined ? undefined : JSON.stringify(value) });
        const expected: Record<string, unknown> = { ...(JSON.parse(text) as object) };
        if (value === undefined) delete expected[key];
        else expected[key] = JSON.parse(JSON.stringify(value));
        assert.deepEqual(JSON.parse(changed), expected);
        const members = membersOf(text);
        assert.deepEqual(
          Object.fromEntries(
            members.map((member) => [member.key, JSON.parse(text.slice(member.valueStart, member.end))]),
          ),
          JSON.parse(text),
        );
      },
    ),
    { numRuns: 2000 },
  );
});

test("a search for the keys changes what reading all members changes", () => {
  const names = fc.constantFrom("model", "created", "service_pool", "stream", "x");
  const texts = fc.oneof(
    fc.constantFrom('"model"', "\\", '\\"model', "model", "{", "[", '":', "é"),
    fc.string(),
  );
  const values = fc.oneof(texts, fc.integer(), fc.dictionary(names, texts), fc.array(texts));
  const changes = fc.dictionary(names, fc.option(fc.constantFrom('"new"', "1", "{}"), { nil: undefined }));
  let searched = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(names, values)),
      changes,
      fc.constantFrom("", " "),
      (members, change, space) => {
        const inside = members.map(
          ([key, value]) => `${JSON.stringify(key)}${space}:${space}${JSON.stringify(value)}`,
        );
        // An escape anywhere rules the search out.
        const escaped = '"\\u0079":0';
        const read = withMembers(`{${[escaped, ...inside].join(",")}}`, change);
        const text = `{${inside.join(",")}}`;
        const changed = withMembers(text, change);
        if (changed !== text) searched += 1;
        assert.equal(`{${escaped}${changed === "{}" ? "" : ","}${changed.slice(1)}`, read, text);
      },
    ),
    { numRuns: 3_000 },
  );
  assert.ok(searched > 1_000);
});

test("a key is written once at the most: in plain text and in escapes, on the top level only", () => {
  for (const text of ["{}", '{"model":1}', '{"a":"model","model":"model"}', '{"a":{"model":1},"model":2}'])
    assert.equal(hasSingleKey(text, "model"), true, text);
  for (const text of [
    '{"model":1,"model":2}',
    '{"model":1,"m\\u006fdel":2}',
    '{"m\\u006fdel":1,"m\\u006fdel":2}',
  ])
    assert.equal(hasSingleKey(text, "model"), false, text);
});

test("long values without a bracket or a quote are jumped over to their end", () => {
  const numbers = Array.from({ length: 200 }, (_, at) => (at - 100) / 7).join(", ");
  const long = `[${numbers}, {"deep":[${numbers}]}, "]}", ${numbers}]`;
  const text = `{"a":${long},"b":{"c":${long}} , "d":${"1".repeat(100)},"e":"${"x".repeat(100)}"}`;
  assert.deepEqual(
    membersOf(text).map(({ key, valueStart, end }) => [key, text.slice(valueStart, end)]),
    [
      ["a", long],
      ["b", `{"c":${long}}`],
      ["d", "1".repeat(100)],
      ["e", `"${"x".repeat(100)}"`],
    ],
  );
  const { items, end } = listAt(long, 0, 1000);
  assert.equal(items.length, 402);
  assert.deepEqual(
    items.map(({ start, end: behind }) => JSON.parse(long.slice(start, behind))),
    JSON.parse(long),
  );
  assert.equal(end, long.length);
});

test("items of a list are where they are, with any content and however they are laid out", () => {
  const property = fc.property(
    fc.array(fc.jsonValue()),
    fc.constantFrom("", " ", "\n  "),
    (values, space) => {
      const text = `[${space}${values.map((one) => JSON.stringify(one)).join(`${space},${space}`)}${space}]`;
      const { items, end } = listAt(text, 0, 1000);
      assert.deepEqual(
        items.map(({ start, end: behind }) => text.slice(start, behind)),
        values.map((one) => JSON.stringify(one)),
      );
      assert.equal(end, text.length);
    },
  );
  fc.assert(property);
});

test("text that is no JSON is passed over to its end, and no further than is wanted", () => {
  const piece = fc.constantFrom(
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "1",
    "x",
    '"a":',
    '"\\u00',
    "1".repeat(20),
  );
  const garbage = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  const property = fc.property(garbage, (text) => {
    for (const { start, valueStart, end } of membersOf(text))
      assert.ok(start < valueStart && valueStart <= end + 1);
    assert.ok(objectAt(text, 0, 3).members.length <= 3);
    assert.ok(listAt(text, 0, 3).items.length <= 3);
    withMembers(text, { model: "1" });
  });
  fc.assert(property, { numRuns: 2_000 });
  assert.equal(objectAt('{"a":1,"b":2,"c":3}', 0, 2).members.length, 2);
  assert.equal(listAt("[1,2,3]", 0, 2).items.length, 2);
});

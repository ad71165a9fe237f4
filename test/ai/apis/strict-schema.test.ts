// Which schemas those who speak OpenAI's format take as strict ones.

import assert from "node:assert/strict";
import test from "node:test";
import { isStrictSchema } from "#ai/apis/strict-schema.ts";

const closed = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const text = { type: "string" };

test("closed objects whose properties are all required, at every level, are strict", () => {
  const list = { type: "array", items: closed({ b: { type: ["string", "null"] } }), minItems: 1 };
  const choice = { anyOf: [text, { type: "number", minimum: 0 }, { $ref: "#/$defs/one" }] };
  for (const schema of [
    closed({}),
    closed({ a: text, list, choice }, { $defs: { one: closed({ c: text }) }, description: "Words." }),
  ])
    assert.equal(isStrictSchema(schema), true, JSON.stringify(schema));
});

test("what such a member refuses is not strict", () => {
  const open = { type: "object", properties: { a: text }, required: ["a"] };
  let deep: object = text;
  for (let level = 0; level < 12; level++) deep = closed({ a: deep });
  for (const schema of [
    undefined,
    [],
    text,
    {},
    open,
    closed({ a: text }, { required: [] }),
    closed({ a: text }, { required: "a" }),
    closed({ a: text }, { additionalProperties: true }),
    closed({ a: open }),
    closed({ a: { type: ["object", "null"], properties: {} } }),
    closed({ a: { type: "array", items: open } }),
    closed({ a: { type: "array" } }),
    closed({ a: { anyOf: [open] } }),
    closed({ a: { anyOf: text } }),
    closed({ a: { $ref: "#/$defs/o" } }, { $defs: { o: open } }),
    closed({ a: {} }),
    closed({ a: true }),
    closed({ a: { ...text, minLength: 1 } }),
    closed({ a: { type: "integer", format: "int32" } }),
    closed({}, { anyOf: [closed({})] }),
    closed({}, { allOf: [closed({})] }),
    deep,
  ])
    assert.equal(isStrictSchema(schema), false, JSON.stringify(schema));
});

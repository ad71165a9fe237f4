// JSON Schema in Anthropic's subset: closed, and with the rest in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecursive, structuredSchema } from "#providers/anthropic/schema.ts";

test("what it enforces stays, what it does not becomes words, objects are closed", () => {
  assert.deepEqual(
    structuredSchema({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      description: "A person.",
      minProperties: 1,
      properties: {
        name: { type: "string", minLength: 1, pattern: "^A" },
        at: { type: "string", format: "date-time" },
        odd: { type: "string", format: "iban" },
        tags: { type: "array", items: { enum: ["a", 1] }, minItems: 1, maxItems: 3 },
        one: { oneOf: [{ type: "null" }, { $ref: "#/$defs/Inner" }] },
        any: true,
      },
      required: ["name"],
      $defs: { Inner: { type: ["object", "null"], properties: { n: { type: "integer", maximum: 9 } } } },
    }),
    {
      type: "object",
      description: "A person.\n\n{minProperties: 1}",
      properties: {
        name: { type: "string", description: '{minLength: 1, pattern: "^A"}' },
        at: { type: "string", format: "date-time" },
        odd: { type: "string", description: '{format: "iban"}' },
        tags: { type: "array", items: { enum: ["a", 1] }, minItems: 1, description: "{maxItems: 3}" },
        one: { anyOf: [{ type: "null" }, { $ref: "#/$defs/Inner" }] },
        any: {},
      },
      required: ["name"],
      $defs: {
        Inner: {
          type: ["object", "null"],
          properties: { n: { type: "integer", description: "{maximum: 9}" } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
  );
});

test("a property may have the name of a keyword", () => {
  const schema = { type: "object", properties: { minimum: { type: "number" }, type: { type: "string" } } };
  assert.deepEqual(structuredSchema(schema), { ...schema, additionalProperties: false });
});

test("objects whose keys are open have no place in it, at any depth", () => {
  const open = { type: "object", additionalProperties: { type: "number" } };
  for (const schema of [
    open,
    { type: "object" },
    { type: "array", items: open },
    { anyOf: [{ type: "null" }, open] },
    { type: "object", properties: { map: open } },
    { $defs: { Map: open }, type: "string" },
  ]) {
    assert.equal(structuredSchema(schema), null, JSON.stringify(schema));
  }
  const empty = { type: "object", additionalProperties: false };
  assert.deepEqual(structuredSchema(empty), empty);
});

test("a schema that contains itself is found, over any number of definitions", () => {
  const part = (...names: string[]) => ({ anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) });
  assert.equal(isRecursive({ properties: { self: { $ref: "#" } } }), true);
  assert.equal(isRecursive({ ...part("a"), $defs: { a: part("b"), b: { items: part("a") } } }), true);
  assert.equal(isRecursive({ ...part("a", "b"), $defs: { a: part("c"), b: part("c"), c: {} } }), false);
  assert.equal(isRecursive({ ...part("none"), $defs: { unused: part("unused") } }), false);
  const links = Array.from({ length: 50_000 }, (_, at) => [`d${at}`, part(`d${at + 1}`)]);
  assert.equal(isRecursive({ ...part("d0"), $defs: Object.fromEntries(links) }), false);
});

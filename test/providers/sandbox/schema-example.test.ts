// The sandbox's examples fit the schemas that SDKs make of types, are the same each time, and no schema makes one
// without end.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { exampleOf } from "#providers/sandbox/schema-example.ts";

const node = z.object({
  name: z.string().min(12),
  get children() {
    return z.array(node);
  },
});

for (const [name, type] of Object.entries({
  "a flat object": z.object({
    city: z.string(),
    unit: z.enum(["c", "f"]),
    days: z.int().min(3),
    below: z.number().lt(0),
    above: z.int().gt(4),
    open: z.boolean(),
    kind: z.literal("x"),
    maybe: z.string().nullable(),
    either: z.union([z.int(), z.string()]),
  }),
  "lists and depth": z.object({
    steps: z.array(z.object({ text: z.string().max(3) })).min(2),
    none: z.null(),
  }),
  formats: z.object({
    at: z.iso.datetime(),
    day: z.iso.date(),
    mail: z.email(),
    id: z.uuid(),
    link: z.url(),
  }),
  "a text": z.string(),
})) {
  test(`zod takes back: ${name}`, () => {
    const schema = z.toJSONSchema(type);
    const value = exampleOf(schema);
    assert.ok(type.safeParse(value).success, JSON.stringify(value));
    assert.deepEqual(exampleOf(schema), value);
  });
}

test("a type that holds itself: references are followed, and it ends", () => {
  const value = exampleOf(z.toJSONSchema(node)) as z.output<typeof node>;
  assert.equal(value.name.length, 12);
  assert.equal(value.children[0]?.name.length, 12);
});

test("a bomb of references makes no large value, a loop of them none", () => {
  const properties = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, { $ref: "#" }]));
  assert.ok(JSON.stringify(exampleOf({ type: "object", properties })).length < 100_000);
  const list = { type: "array", minItems: 1_000_000, items: { $ref: "#" } };
  assert.ok(JSON.stringify(exampleOf(list)).length < 100_000);
  assert.equal(exampleOf({ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }), null);
  assert.equal(exampleOf({ $ref: "#/nowhere/at/all" }), null);
});

test("a long reference refers to nothing, and long values are copied up to a bound", () => {
  const long = "a".repeat(2_000);
  assert.equal(exampleOf({ $ref: `#/$defs/${long}`, $defs: { [long]: { const: 1 } } }), null);
  assert.equal(exampleOf({ $ref: "#/$defs/short", $defs: { short: { const: long } } }), long);
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [`p${at}`, { $ref: "#/$defs/a" }]),
  );
  for (const literal of [{ const: long }, { default: long }, { enum: [long] }]) {
    const example = exampleOf({ type: "object", properties, $defs: { a: literal } });
    assert.ok(JSON.stringify(example).length < 110_000, JSON.stringify(literal).slice(0, 20));
  }
});

test("on any input it throws nothing and what it makes is JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (schema) => {
      assert.doesNotThrow(() => JSON.stringify(exampleOf(schema)));
    }),
  );
});

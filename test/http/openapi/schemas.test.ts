// Schemas of the OpenAPI document: named ones by reference, and nothing that generators cannot read.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { channelWord } from "#contract/messages/channel-word.ts";
import { componentName, namedSchemas, reference, schemaOf, usedNames } from "#http/openapi/schemas.ts";

test("a schema with an id is a reference, also inside others", () => {
  assert.equal(componentName(channelWord), "Channel");
  assert.equal(componentName(z.string()), undefined);
  assert.deepEqual(schemaOf(channelWord), reference("Channel"));
  const described = channelWord.describe("The channel.");
  assert.equal(componentName(described), undefined);
  const schema = schemaOf(z.object({ plain: channelWord, described, list: z.array(channelWord) }));
  assert.deepEqual(schema.properties, {
    plain: reference("Channel"),
    described: { description: "The channel.", ...reference("Channel") },
    list: { type: "array", items: reference("Channel") },
  });
  assert.equal("$defs" in schema, false);
});

test("formats stand for their patterns, and bounds of safe integers are no bounds", () => {
  assert.deepEqual(schemaOf(z.iso.datetime({ precision: 3 })), { type: "string", format: "date-time" });
  assert.deepEqual(schemaOf(z.iso.date()), { type: "string", format: "date" });
  assert.deepEqual(schemaOf(z.int()), { type: "integer" });
  assert.deepEqual(schemaOf(z.int().min(1).max(9)), { type: "integer", minimum: 1, maximum: 9 });
  assert.deepEqual(schemaOf(z.string().nullable()), { type: ["string", "null"] });
  assert.deepEqual(schemaOf(z.record(z.string(), z.unknown())), {
    type: "object",
    additionalProperties: true,
  });
});

test("a query parameter is shown as what its text becomes", () => {
  const schema = schemaOf(z.coerce.number().int().min(1).max(200).default(50), "output");
  assert.deepEqual(schema, { type: "integer", minimum: 1, maximum: 200, default: 50 });
});

test("used names are found through other components", () => {
  const schemas = {
    A: { items: reference("B") },
    B: { anyOf: [reference("A"), reference("C")] },
    C: {},
    D: {},
  };
  assert.deepEqual([...usedNames({ schema: reference("A") }, schemas)].sort(), ["A", "B", "C"]);
});

test("named schemas carry no marks of their making", () => {
  const schemas = namedSchemas();
  assert.ok("Channel" in schemas);
  for (const [name, schema] of Object.entries(schemas))
    assert.equal("$schema" in schema || "$id" in schema || "id" in schema, false, name);
});

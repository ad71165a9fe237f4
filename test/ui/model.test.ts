// What a form makes of the schemas of all kinds of gateways and providers.

import assert from "node:assert/strict";
import test from "node:test";
import { adapters } from "#gateways/registry.ts";
import { schemaOf } from "#http/routes/manage/gateways/kinds.ts";
import { providers } from "#providers/registry.ts";
import { changed, controlOf, isMask, labelOf, type Schema, scalarOf } from "#ui/schema-form/model.ts";

/** Every schema below a schema, by its path. */
function* walk(schema: Schema, path: string): Generator<[string, Schema]> {
  yield [path, schema];
  for (const [name, each] of Object.entries(schema.properties ?? {})) yield* walk(each, `${path}.${name}`);
}

test("every setting of every kind has a control, and every secret text a secret one", () => {
  const kinds = [...adapters, ...providers].map(({ kind, settings }) => ({
    kind,
    settings: schemaOf(settings),
  }));
  assert.ok(kinds.length > 10);
  for (const { kind, settings } of kinds) {
    for (const [path, schema] of walk(settings as Schema, kind)) {
      const control = controlOf(schema);
      if (schema.writeOnly === true && schema.type === "string")
        assert.ok(
          control === "secret" || control === "long",
          `${path} is a secret in a control of ${control}`,
        );
    }
  }
});

test("controls follow the type", () => {
  assert.equal(controlOf({ type: "string", enum: ["a"] }), "choice");
  assert.equal(controlOf({ type: "array", items: { type: ["string", "number"] } }), "lines");
  assert.equal(controlOf({ type: "array", items: { type: "object" } }), "json");
  assert.equal(controlOf({ type: "object", additionalProperties: { type: "string" } }), "pairs");
  assert.equal(controlOf({ anyOf: [{ type: "string" }, { type: "object" }] }), "json");
  assert.equal(controlOf({ type: "string", description: "The key in PEM.", writeOnly: true }), "long");
});

test("a line is a number or a truth value where it may be one", () => {
  assert.equal(scalarOf("200", { type: ["string", "number"] }), 200);
  assert.equal(scalarOf("200", { type: "string" }), "200");
  assert.equal(scalarOf("true", { type: ["string", "boolean"] }), true);
  assert.equal(scalarOf("2xx", { type: ["string", "number"] }), "2xx");
});

test("an emptied value leaves, a mask is known, and names become labels", () => {
  assert.deepEqual(changed({ a: 1, b: 2 }, "a", undefined), { b: 2 });
  assert.ok(isMask("••••") && !isMask("text") && !isMask(1));
  assert.equal(labelOf("auth_token"), "Auth token");
});

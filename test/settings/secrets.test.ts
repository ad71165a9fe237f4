// Secrets of settings: nothing that is marked gets out, and a mask that comes back is what was stored.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { adapters } from "#gateways/registry.ts";
import { keptSecrets, mask, masked, secret, secretsIn, unmasked } from "#settings/secrets.ts";

const schema = z.strictObject({
  name: z.string(),
  token: secret().min(3).optional().describe("A secret under wrappers and a description."),
  headers: z.record(z.string(), z.string()).default({}).meta({ secret: true }).describe("All of it."),
  list: z.array(z.strictObject({ key: secret(), label: z.string() })).default([]),
  any: z
    .union([z.string(), z.record(z.string(), z.json())])
    .optional()
    .meta({ secret: true }),
  inner: z.strictObject({ pin: z.number().meta({ secret: true }), shown: z.boolean() }).nullish(),
});

const settings = {
  name: "plain",
  token: "s1",
  headers: { a: "s2", b: "s3" },
  list: [
    { key: "s4", label: "one" },
    { key: "s5", label: "two" },
  ],
  any: { deep: [{ x: "s6", n: 7, nothing: null }] },
  inner: { pin: 1234, shown: true },
};

test("the strings that are marked can be listed, each once", () => {
  assert.deepEqual(secretsIn(schema, settings), ["s1", "s2", "s3", "s4", "s5", "s6"]);
  assert.deepEqual(secretsIn(schema, { name: "plain", list: [{ key: "s1", label: "s2" }, { key: "s1" }] }), [
    "s1",
  ]);
});

test("what is marked is masked, wherever the mark is; names and the rest are shown", () => {
  assert.deepEqual(masked(schema, settings), {
    name: "plain",
    token: mask,
    headers: { a: mask, b: mask },
    list: [
      { key: mask, label: "one" },
      { key: mask, label: "two" },
    ],
    any: { deep: [{ x: mask, n: mask, nothing: null }] },
    inner: { pin: mask, shown: true },
  });
});

test("a single template field is shown, in every place that is marked, and is nothing that is kept", () => {
  const templates = {
    name: "plain",
    headers: { ref: "{{id}}", key: "Bearer {{id}}" },
    any: { to: "{{to}}", text: "{{message}} {{key}}", key: "{{", list: ["{{from}}"] },
  };
  const shown = {
    ...templates,
    headers: { ref: "{{id}}", key: mask },
    any: { to: "{{to}}", text: mask, key: mask, list: ["{{from}}"] },
  };
  assert.deepEqual(masked(schema, templates), shown);
  assert.deepEqual(unmasked(shown, templates), { value: templates, missing: [] });
  assert.deepEqual(secretsIn(schema, templates), ["Bearer {{id}}", "{{message}} {{key}}", "{{"]);
  assert.deepEqual(keptSecrets(schema, templates, {}), [
    ["headers", "key"],
    ["any", "text"],
    ["any", "key"],
  ]);
});

test("masks that come back are what was stored; other values are new", () => {
  assert.deepEqual(unmasked(masked(schema, settings), settings), { value: settings, missing: [] });
  const { value } = unmasked({ headers: { a: mask, c: "new" }, token: "new" }, settings);
  assert.deepEqual(value, { headers: { a: "s2", c: "new" }, token: "new" });
});

test("a mask without anything behind it is reported by its place", () => {
  const missing = (input: object, stored: unknown = settings) =>
    unmasked(input, stored).missing.map((path) => path.join("."));
  assert.deepEqual(missing({ headers: { z: mask } }), ["headers.z"]);
  assert.deepEqual(missing({ headers: mask }), ["headers"], "a whole object is no value");
  assert.deepEqual(missing({ list: [{ key: mask, label: "one" }] }), ["list.0.key"], "a list that shrank");
  assert.deepEqual(missing({ constructor: mask, toString: mask }), ["constructor", "toString"]);
  assert.deepEqual(missing({ token: mask }, null), ["token"]);
});

test("masks in a list of secrets that has grown are the stored ones in their order; in one that shrank none is certain", () => {
  const stored = { keys: ["a", "b"] };
  const keysOf = (keys: readonly string[]) => {
    const { value, missing } = unmasked({ keys }, stored);
    return missing.length > 0 ? missing.map((path) => path.join(".")) : (value as typeof stored).keys;
  };
  assert.deepEqual(keysOf([mask, mask, "c"]), ["a", "b", "c"]);
  assert.deepEqual(keysOf(["c", mask, mask]), ["c", "a", "b"]);
  assert.deepEqual(keysOf([mask, "c"]), ["a", "c"]);
  assert.deepEqual(keysOf([mask]), ["keys.0"]);
  assert.deepEqual(keysOf([mask, "c", "d"]), ["keys.0"]);
  assert.deepEqual(keysOf([mask, mask, mask]), ["keys.0", "keys.1", "keys.2"]);
});

test("a name that objects have by themselves is a name like any other", () => {
  const parsed = JSON.parse('{"headers": {"__proto__": "x", "a": "••••"}}');
  const { value, missing } = unmasked(parsed, settings);
  assert.deepEqual(missing, []);
  assert.deepEqual(Object.keys((value as { headers: object }).headers), ["__proto__", "a"]);
  assert.equal(({} as Record<string, unknown>).x, undefined);
});

test("kept secrets are those that were neither given nor are absent", () => {
  const kept = (input: unknown) => keptSecrets(schema, settings, input).map((path) => path.join("."));
  const all = [
    "token",
    "headers.a",
    "headers.b",
    "list.0.key",
    "list.1.key",
    "any.deep.0.x",
    "any.deep.0.n",
    "inner.pin",
  ];
  assert.deepEqual(kept({}), all);
  assert.deepEqual(kept(masked(schema, settings)), all);
  assert.deepEqual(kept(settings), []);
  assert.deepEqual(kept({ ...settings, headers: { a: mask } }), ["headers.a", "headers.b"]);
});

test("settings of every kind survive being shown and sent back", () => {
  const texts = fc.string({ minLength: 1 }).filter((text) => text !== mask);
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      texts,
      fc.integer(),
      fc.boolean(),
      fc.array(tie("value")),
      fc.dictionary(texts, tie("value")),
    ),
  })).value;
  for (const kind of adapters) {
    const fields = Object.keys(kind.settings.shape);
    fc.assert(
      fc.property(fc.record(Object.fromEntries(fields.map((field) => [field, values]))), (any) => {
        const back = unmasked(masked(kind.settings, any), any);
        assert.deepEqual([back.missing, JSON.stringify(back.value)], [[], JSON.stringify(any)]);
      }),
    );
  }
});

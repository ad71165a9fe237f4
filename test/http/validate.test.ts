// Bodies and queries against strict schemas: every fault with its path, and never a value.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { validate, validateQuery } from "#http/validate.ts";
import { thrownProblem } from "./thrown.ts";

const schema = z.strictObject({
  name: z.string().max(5, "is too long"),
  inner: z.strictObject({ count: z.int().optional() }).optional(),
  list: z.array(z.strictObject({ on: z.boolean() })).default([]),
});

function errorsIn(check: () => unknown): Record<string, string[]> {
  const { status, body } = thrownProblem(check);
  assert.equal(status, 422);
  return (body as { errors: Record<string, string[]> }).errors;
}

const errorsOf = (value: unknown) => errorsIn(() => validate(schema, value));

test("what fits comes back with its defaults", () => {
  assert.deepEqual(validate(schema, { name: "x" }), { name: "x", list: [] });
});

test("every fault is reported under its dotted path, unknown fields by their names", () => {
  const secret = "sk-secret";
  const errors = errorsOf({ name: secret, inner: { count: secret, role: secret }, list: [{}], plan: secret });
  assert.deepEqual(Object.keys(errors).sort(), ["inner.count", "inner.role", "list.0.on", "name", "plan"]);
  assert.deepEqual(errors.plan, ["is not a field"]);
  assert.equal(JSON.stringify(errors).includes(secret), false);
});

test("no body is an empty one; a body that is no object is a fault of the body", () => {
  assert.deepEqual(Object.keys(errorsOf(null)), ["name"]);
  for (const value of [[], "x", 1, true]) assert.deepEqual(Object.keys(errorsOf(value)), ["body"]);
});

test("an own __proto__ is a field that is not known, and changes nothing", () => {
  const errors = errorsOf(JSON.parse('{"name":"x","__proto__":{"polluted":1}}'));
  assert.deepEqual(Object.keys(errors), ["__proto__"]);
  assert.equal("polluted" in {}, false);
});

test("of a query the last value counts, and an empty one counts as absent", () => {
  const query = z.strictObject({
    limit: z.coerce.number().int().max(9).default(5),
    x: z.string().optional(),
  });
  const read = (text: string) => validateQuery(query, new URLSearchParams(text));
  assert.deepEqual(read(""), { limit: 5 });
  assert.deepEqual(read("limit=3&limit=4&x="), { limit: 4 });
  for (const wrong of ["limit=x", "limit=10", "limit=1.5", "y=1", "__proto__=1"])
    assert.deepEqual(Object.keys(errorsIn(() => read(wrong))), [wrong.split("=")[0]]);
});

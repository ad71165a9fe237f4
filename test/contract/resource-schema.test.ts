// The shape of a change: nothing required, nothing filled in, the rules and the words as they were.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { applyChanges, patchSchema, readFields, shown } from "#contract/resource-schema.ts";

const whole = z.strictObject({
  name: z.string().min(1).describe("Its name."),
  count: z.int().min(1).default(8).describe("How many."),
  inside: z
    .strictObject({ a: z.int().default(1) })
    .prefault({})
    .describe("Inside."),
  note: z.string().nullish(),
});
const changes = patchSchema(whole);

test("what is absent stays absent, without its default", () => {
  assert.deepEqual(changes.parse({}), {});
  assert.deepEqual(changes.parse({ count: 2, note: null }), { count: 2, note: null });
});

test("the rules of a field hold, and names that are no field are refused", () => {
  for (const bad of [{ name: "" }, { count: 0 }, { count: null }, { name: null }, { other: 1 }]) {
    assert.equal(changes.safeParse(bad).success, false, JSON.stringify(bad));
  }
});

test("descriptions stay", () => {
  assert.deepEqual(
    Object.values(changes.shape).map((field) => (field as z.ZodType).description),
    ["Its name.", "How many.", "Inside.", undefined],
  );
});

test("the fields of a group change one by one, what is absent stays", () => {
  const before = whole.parse({ name: "a", inside: { a: 4 } });
  assert.deepEqual(applyChanges(whole, before, { count: 2, inside: {}, note: undefined }), {
    ...before,
    count: 2,
  });
  assert.deepEqual(applyChanges(whole, before, { inside: { a: 5 } }).inside, { a: 5 });
});

test("stored fields are read with the defaults of newer ones, and without those that are gone", () => {
  assert.deepEqual(readFields(whole, { name: "a", note: "n", gone: 1 }), {
    name: "a",
    count: 8,
    inside: { a: 1 },
    note: "n",
  });
  const stricter = whole.extend({ count: z.int().min(100).default(100) });
  assert.equal(readFields(stricter, { name: "a", count: 3 }).count, 3, "a stricter rule does not lose it");
});

test("a reply has every field, described as in the request", () => {
  const reply = shown(whole);
  assert.equal(reply.safeParse({ name: "a", count: 1, inside: {}, note: null }).success, false);
  assert.ok(reply.safeParse({ name: "a", count: 1, inside: { a: 1 }, note: null }).success);
  assert.equal(reply.safeParse({ name: "a", inside: { a: 1 }, note: null }).success, false);
  assert.equal(reply.shape.count.description, "How many.");
});

test("values of a map are shown as fields are: more of them may come later", () => {
  const fields = z.strictObject({
    prices: z.record(z.string(), z.strictObject({ input: z.number() })).default({}),
  });
  const reply = shown(fields).parse({ prices: { m: { input: 1, later: 2 } } });
  assert.deepEqual(reply, { prices: { m: { input: 1 } } });
});

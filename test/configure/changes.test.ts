// The shape of a change: nothing required, nothing filled in, the rules and the words as they were.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { omitUndefined, patchSchema } from "#configure/changes.ts";

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

test("what is undefined is left out, null is not", () => {
  assert.deepEqual(Object.entries(omitUndefined({ a: 1, b: undefined, c: null })), [
    ["a", 1],
    ["c", null],
  ]);
});

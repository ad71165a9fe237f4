// The words for values whose schema has no words of its own: for people, and without the values.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { faultWords } from "#contract/fault-words.ts";
import { issuesOf } from "#contract/issue.ts";

function wordsOf(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, faultWords);
  assert.ok(error);
  return issuesOf(error).map(({ path, message }) => [...path, message].join(" "));
}

test("what is missing is required, of every type", () => {
  const schema = z.strictObject({
    name: z.string(),
    count: z.int(),
    active: z.boolean(),
    list: z.array(z.string()),
    inner: z.strictObject({ a: z.string() }),
    channel: z.enum(["sms", "email"]),
    risk: z.literal(true),
    either: z.union([z.string(), z.number()]),
  });
  assert.deepEqual(
    wordsOf(schema, {}),
    Object.keys(schema.shape).map((name) => `${name} is required`),
  );
});

test("each fault says what is asked for", () => {
  const cases: [schema: z.ZodType, value: unknown, words: string][] = [
    [z.string(), 1, "must be a text"],
    [z.string(), null, "must be a text"],
    [z.number(), "1", "must be a number"],
    [z.int(), 1.5, "must be a whole number"],
    [z.boolean(), "yes", "must be true or false"],
    [z.array(z.string()), {}, "must be a list"],
    [z.strictObject({}), [], "must be an object"],
    [z.record(z.string(), z.string()), 1, "must be an object"],
    [z.enum(["sms", "whatsapp", "email"]), "fax", "must be one of sms, whatsapp, email"],
    [z.literal(true), false, "must be true"],
    [z.string().min(1), "", "must not be empty"],
    [z.string().min(3), "ab", "must have at least 3 characters"],
    [z.string().max(1), "ab", "must have at most 1 character"],
    [z.array(z.int()).min(1), [], "must not be empty"],
    [z.array(z.int()).max(2), [1, 2, 3], "must have at most 2 items"],
    [z.int().min(1), 0, "must be at least 1"],
    [z.int().max(9), 10, "must be at most 9"],
    [z.number().positive(), 0, "must be more than 0"],
    [z.number().lt(1), 1, "must be less than 1"],
    [z.number().multipleOf(5), 3, "must be a multiple of 5"],
    [z.email(), "secret", "must be an email address"],
    [z.url(), "secret", "must be a URL"],
    [z.iso.datetime(), "secret", "must be a time such as 2026-11-21T13:00:00Z"],
    [z.string().regex(/^a+$/), "secret", "has not the form that is asked for"],
    [z.union([z.string(), z.int()]), [], "has none of the forms that it may have"],
    [z.record(z.string().regex(/^a/), z.string()), { secret: "a" }, "secret has a name that is not allowed"],
  ];
  for (const [schema, value, words] of cases) assert.deepEqual(wordsOf(schema, value), [words], words);
});

test("words of a schema's own go before", () => {
  assert.deepEqual(wordsOf(z.string("is the name of a person"), 1), ["is the name of a person"]);
});

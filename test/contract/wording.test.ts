// The sentences, to the letter, through the schemas that lead to them.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { attribute, checker, sentences } from "#contract/wording.ts";

const schema = z.object({
  text: z.string(),
  list: z.array(z.string()).max(2).optional(),
  limit: z.int().min(1).max(200).optional(),
  kind: z.enum(["a", "b"]).optional(),
  reply_to_email: z.string().optional(),
});
const check = checker(schema);

const cases: [input: object, path: string, sentence: string][] = [
  [{}, "contact.3.text", "The contact.3.text field is required."],
  [{ text: null }, "contact.3.text", "The contact.3.text field is required."],
  [{ text: 5 }, "contact.3.text", "The contact.3.text field must be a string."],
  [{ text: {} }, "contact.3.text", "The contact.3.text field must be a string."],
  [{ text: "", list: "x" }, "contact.3.list", "The contact.3.list field must be an array."],
  [
    { text: "", list: ["1", "2", "3"] },
    "contact.3.list",
    "The contact.3.list field must not have more than 2 items.",
  ],
  [{ text: "", list: [1] }, "contact.3.list.0", "The contact.3.list.0 field must be a string."],
  [{ text: "", limit: "x" }, "contact.3.limit", "The contact.3.limit field must be an integer."],
  [{ text: "", limit: 1.5 }, "contact.3.limit", "The contact.3.limit field must be an integer."],
  [{ text: "", limit: 0 }, "contact.3.limit", "The contact.3.limit field must be at least 1."],
  [{ text: "", limit: 201 }, "contact.3.limit", "The contact.3.limit field must not be greater than 200."],
  [{ text: "", kind: "c" }, "contact.3.kind", "The selected contact.3.kind is invalid."],
];
for (const [input, path, sentence] of cases) {
  test(`${JSON.stringify(input)}: ${sentence}`, () => {
    const issues = check(input, ["contact"], 3);
    assert.deepEqual(
      issues?.map((issue) => [issue.path.join("."), issue.message]),
      [[path, sentence]],
    );
  });
}

test("all faults of a value are reported", () => {
  const issues = check({ text: 1, list: 2, kind: 3 }, [], undefined);
  assert.deepEqual(
    issues?.map((issue) => issue.path.join(".")),
    ["text", "list", "kind"],
  );
});

test("a value that passes has no issues", () => {
  assert.equal(check({ text: "x" }, ["contact"], 0), null);
});

test("a field outside a list shows its underscores as spaces, one inside is raw", () => {
  assert.equal(attribute(["reply_to_email"]), "reply to email");
  assert.equal(attribute(["contact", 0, "schedule_at"]), "contact.0.schedule_at");
  assert.equal(
    check({ text: "", reply_to_email: 1 }, [])?.[0]?.message,
    "The reply to email field must be a string.",
  );
});

test("the sentences that zod has no issue for", () => {
  const at = ["contact", 0, "x"];
  assert.equal(sentences.phone(at), "The contact.0.x field must be a valid phone number.");
  assert.equal(
    sentences.dateFormat(at, "Y-m-d H:i:s"),
    "The contact.0.x field must match the format Y-m-d H:i:s.",
  );
  assert.equal(sentences.unsendable(at), "The contact.0.x field contains characters that cannot be sent.");
  assert.equal(
    sentences.atMostCharacters(at, 65_536),
    "The contact.0.x field must not be greater than 65536 characters.",
  );
});

test("nothing of zod is changed for others", () => {
  const message = z.string().safeParse(5).error?.issues[0]?.message ?? "";
  assert.doesNotMatch(message, /field/);
});

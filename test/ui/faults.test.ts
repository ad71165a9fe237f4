// Every kind of message that the API makes about a field, as the dashboard shows it: in the words of the form, without paths of the API.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { faultWords } from "#contract/fault-words.ts";
import { sentences } from "#contract/wording.ts";
import forms from "#ui/api/forms.json" with { type: "json" };
import { type Schema, withoutNull } from "#ui/schema-form/model.ts";
import { titlesOf } from "#ui/schema-form/words.ts";
import { faultHere, faultSentences } from "#ui/words/faults.ts";

const ofApi = /contact|attachments\.|\.\d|_|undefined|null/;

test("each sentence of the channel endpoints names its field, and another one, by words", () => {
  const other = ["contact", 0, "media_url"];
  const more: Readonly<Record<string, unknown>> = {
    mimes: ["image/png"],
    requiredWith: other,
    prohibits: other,
    dateFormat: "Y-m-d H:i:s",
  };
  for (const [rule, make] of Object.entries(sentences)) {
    const sentence = (make as (...input: unknown[]) => string)(["contact", 1, "reply_to"], more[rule] ?? 5);
    const [above] = faultSentences({ "contact.1.reply_to": [sentence] });
    assert.match(above ?? "", /^The (reply to field|selected reply to) [a-z].*\.$/, rule);
    const [titled] = faultSentences({ "contact.1.reply_to": [sentence] }, () => "Answers to");
    assert.match(titled ?? "", /^The (Answers to field|selected Answers to) [a-z].*\.$/, rule);
    for (const shown of [above ?? "", titled ?? "", faultHere(sentence, "Answers to")])
      assert.doesNotMatch(shown, ofApi, rule);
  }
  const required = sentences.requiredWith(["contact", 0, "message"], other);
  assert.equal(faultHere(required, "Text"), "Text is required when media url is present.");
});

/** One message of each kind that the management API makes of a value. */
const ofValues = [
  [z.string(), undefined],
  ...[z.string(), z.number(), z.int(), z.boolean(), z.array(z.string()), z.strictObject({})].map(
    (schema) => [schema, Symbol.iterator] as const,
  ),
  [z.null(), 1],
  [z.enum(["one", "two"]), "three"],
  [z.literal("one"), "two"],
  [z.string().min(1), ""],
  [z.string().max(2), "three"],
  [z.array(z.string()).max(0), [""]],
  [z.int().min(1), 0],
  [z.number().gt(0), 0],
  [z.int().max(1), 2],
  [z.email(), "x"],
  [z.url(), "x"],
  [z.iso.datetime(), "x"],
  [z.string().regex(/a/), "x"],
  [z.number().multipleOf(2), 1],
  [z.union([z.string(), z.int()]), true],
] as const;
const messages = ofValues.flatMap(([schema, value]) =>
  (schema.safeParse(value, faultWords).error?.issues ?? []).map(({ message }) => message),
);

/** The paths of all fields of a form, with the title of each that has one. */
function fieldsOf(schema: Schema, path: string): [path: string, title: string | undefined][] {
  const { properties = {}, items } = withoutNull(schema).schema;
  const inside = Object.entries(properties).flatMap(([name, each]) =>
    fieldsOf(each, path === "" ? name : `${path}.${name}`),
  );
  const item = items === undefined ? [] : [[`${path}.0`, items.title ?? schema.title] as [string, undefined]];
  return [...(path === "" ? [] : [[path, schema.title] as [string, undefined]]), ...item, ...inside];
}

test("above a form each kind of message names the field as the form does", () => {
  assert.equal(messages.length, ofValues.length);
  let titled = 0;
  for (const form of Object.values(forms) as Schema[]) {
    const titleOf = titlesOf(form);
    for (const [path, title] of fieldsOf(form, "")) {
      const shown = faultSentences({ [path]: messages }, titleOf);
      assert.equal(shown.length, new Set(messages).size, path);
      for (const sentence of shown) {
        assert.match(sentence, /^[A-Z][A-Za-z0-9 -]+ (is|must|has)( |$)/, path);
        assert.doesNotMatch(sentence.replace("must be null", ""), ofApi, path);
        if (title !== undefined) assert.ok(sentence.startsWith(`${title} `), `${path}: ${sentence}`);
      }
      if (title !== undefined) titled++;
    }
  }
  assert.ok(titled > 15, String(titled));
  const settings: Schema = {
    properties: { success: { properties: { path: {} } }, base_url: { title: "Address" } },
  };
  const titleOf = titlesOf({ properties: { settings } });
  assert.deepEqual(
    ["settings.success.path", "settings.base_url", "settings.auth_token", "models.0"].map(titleOf),
    ["Success path", "Address", "Auth token", "Models"],
  );
  assert.equal(
    faultSentences({ kind: ["This endpoint is full."] }, titleOf)[0],
    "Kind: This endpoint is full.",
  );
});

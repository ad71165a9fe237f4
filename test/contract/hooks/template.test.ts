// What a template may be, and what is said about one that is not.

import assert from "node:assert/strict";
import test from "node:test";
import { plainExample, presets } from "#contract/hooks/presets.ts";
import { maxTemplateLength, parsePath, parseTemplate } from "#contract/hooks/template.ts";
import { hookTexts } from "#messaging/hooks/message.ts";

const paths: Record<string, (string | number)[] | null> = {
  title: ["title"],
  "alerts[0].labels.alertname": ["alerts", 0, "labels", "alertname"],
  '[2]["app.kubernetes.io/name"].x-y': [2, "app.kubernetes.io/name", "x-y"],
  "@type.$ref._id": ["@type", "$ref", "_id"],
  größe: ["größe"],
  this: [],
  "": null,
  ".a": null,
  "a.": null,
  "a..b": null,
  "a b": null,
  "a[b]": null,
  "a[-1]": null,
  "a[0]b": null,
  'a["]': null,
  "a()": null,
  [Array(16).fill("a").join(".")]: Array(16).fill("a"),
  [Array(17).fill("a").join(".")]: null,
};

for (const [text, path] of Object.entries(paths))
  test(`the path ${JSON.stringify(text.slice(0, 40))} is ${path === null ? "none" : "read"}`, () =>
    assert.deepEqual(parsePath(text), path));

const faults: Record<string, RegExp> = {
  "{{a": /has a \{\{ without \}\} after "\{\{a"/,
  "{{}}": /has "", which is no path/,
  "{{a b}}": /has "a b", which is no path such as alerts\[0\]\.labels\.alertname/,
  "{{a | }}": /no path/,
  "{{a | 'b'}}": /no path/,
  "{{{a}}}": /no path/,
  "{{#each}}": /no path/,
  "{{#each a b}}x{{/each}}": /has no path in "#each a b"/,
  "{{#each a}}x": /an \{\{#each\}\} without an \{\{\/each\}\}/,
  "x{{/each}}": /an \{\{\/each\}\} without an \{\{#each\}\}/,
  "{{#each a}}{{#each b}}{{/each}}{{/each}}": /inside another one/,
  "{{#if a}}x{{/if}}": /no path/,
  [`{{${"a|".repeat(8)}a}}`]: /no path/,
  ["{{a}}".repeat(101)]: /more than 100 placeholders/,
  ["x".repeat(maxTemplateLength + 1)]: /more than 4000 characters/,
};

for (const [text, fault] of Object.entries(faults))
  test(`the template ${JSON.stringify(text.slice(0, 40))} is refused`, () => {
    const parsed = parseTemplate(text);
    assert.match(parsed.kind === "faulty" ? parsed.fault : "", fault);
  });

test("a text without placeholders, and one with a single brace, is a template", () => {
  for (const text of ["", "Hello", "{ a } }} {"])
    assert.deepEqual(parseTemplate(text), {
      kind: "parsed",
      template: text === "" ? [] : [{ kind: "text", text }],
    });
});

test("each preset has a value for all of its own example, in each channel", () => {
  for (const [preset, { example }] of Object.entries(presets))
    for (const channel of ["sms", "whatsapp", "email"] as const) {
      const hook = { preset: preset as keyof typeof presets, channel, to: [], subject: null, message: null };
      const texts = hookTexts({ ...hook, gateway_identifier: null, missing: null }, example);
      assert.deepEqual(texts.missing, [], preset);
      assert.ok(texts.message.length > 5, preset);
      assert.equal(texts.subject === null, channel !== "email");
    }
  assert.ok(Object.keys(plainExample).length > 0);
});

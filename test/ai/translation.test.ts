// Nothing is lost in translation without being named: every field of every client API, at every kind of member.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { apis, declaredFields } from "./translation-fields.ts";
import { page, pageText, translations } from "./translation-table.ts";

test("every field of the official clients has an entry", () => {
  for (const api of apis) {
    const declared = declaredFields(api);
    assert.ok(declared.length > 10, api.title);
    const missing = declared.filter(
      (name) => !api.skipped.includes(name) && !Object.hasOwn(api.values, name),
    );
    assert.deepEqual(missing, [], `${api.title}: say in test/ai/translation-fields.ts what becomes of these`);
  }
});

test("each is carried, adapted by name, or refused", () => {
  const silent = translations().flatMap(({ api, rows }) =>
    rows.flatMap(({ field, outcomes }) =>
      outcomes.includes("silent") ? [`${api.title}: ${field}: ${outcomes.join(", ")}`] : [],
    ),
  );
  assert.deepEqual(silent, []);
});

test("the page says what is so", () => {
  assert.equal(readFileSync(page, "utf8"), pageText(), "write it: node test/ai/translation-table.ts");
});

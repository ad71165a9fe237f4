// The fields of a hook: their defaults, and the faults of their templates.

import assert from "node:assert/strict";
import test from "node:test";
import { hookChanges, hookFields } from "#contract/hooks/hooks.ts";

const fields = { name: "alerts", channel: "sms", to: ["+4915123456789"] };

test("a hook has the documented defaults", () => {
  assert.deepEqual(hookFields.parse(fields), {
    ...fields,
    preset: null,
    gateway_identifier: null,
    subject: null,
    message: null,
    missing: "",
    per_minute: 30,
    signed: false,
    attention: null,
    active: true,
  });
});

test("faults of templates are those of the field, also in a change, and a name does not change", () => {
  for (const [schema, others] of [
    [hookFields, fields],
    [hookChanges, {}],
  ] as const)
    for (const field of ["message", "subject"]) {
      const { error } = schema.safeParse({ ...others, [field]: "{{a b}}" });
      assert.deepEqual(
        error?.issues.map(({ path }) => path),
        [[field]],
      );
      assert.match(error?.issues[0]?.message ?? "", /^has "a b", which is no path/);
    }
  assert.equal(hookChanges.safeParse({ name: "other" }).success, false);
  assert.equal(hookChanges.safeParse({ key: "a-key-of-Someone-4711-xyz" }).success, false);
});

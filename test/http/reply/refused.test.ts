// What a caller reads about a change that was not made.

import assert from "node:assert/strict";
import test from "node:test";
import { refused } from "#http/reply/refused.ts";

const answer = (result: Parameters<typeof refused>[0]) => {
  const { status, body } = refused(result);
  return [status, body];
};

test("a wrong value is reported by its field, also one that is taken", () => {
  assert.deepEqual(answer({ kind: "invalid", issues: [{ path: ["name"], message: "is taken" }] }), [
    422,
    {
      success: false,
      message: "Validation failed.",
      errors: Object.assign(Object.create(null), { name: ["is taken"] }),
    },
  ]);
});

test("what the state forbids is a conflict that says why, and what is not there is not found", () => {
  const [status, body] = answer({ kind: "overtaken" }) as [number, { message: string; code: string }];
  assert.deepEqual([status, body.code], [409, "conflict"]);
  assert.match(body.message, /Another change was made first/);
  const [provisioned, why] = answer({ kind: "provisioned" }) as [number, { message: string; code: string }];
  assert.deepEqual([provisioned, why.code], [409, "conflict"]);
  assert.match(why.message, /provisioning file/);
  assert.equal(answer({ kind: "not_found" })[0], 404);
});

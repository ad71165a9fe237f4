// The kind `spread`: its members.

import assert from "node:assert/strict";
import { test } from "node:test";
import { spreadSettings } from "#gateways/sms/android/spread.ts";

test("a spread has members, each once", () => {
  assert.deepEqual(spreadSettings.parse({ members: ["a", "b"] }), { members: ["a", "b"] });
  for (const members of [undefined, [], ["a", "a"], "a", [1], [""]])
    assert.equal(spreadSettings.safeParse({ members }).success, false, JSON.stringify(members));
});

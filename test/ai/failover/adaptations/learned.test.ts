// What a call remembers about the refusals of its members.

import assert from "node:assert/strict";
import test from "node:test";
import { Learned } from "#ai/failover/adaptations/learned.ts";
import { script } from "../../scripted-members.ts";
import { call } from "../chain-calls.ts";

test("lessons are kept for each choice of its own, and add up", () => {
  const it = script();
  const [first, second] = call([it.member("a", []), it.member("b", [])]).choices;
  const learned = new Learned();
  assert.deepEqual(learned.about(first!), {});
  learned.add(first!, { shortened: true });
  learned.add(first!, { translated: false });
  learned.add(second!, { spentKeys: new Set([1]) });
  assert.deepEqual(learned.about(first!), { shortened: true, translated: false });
  assert.deepEqual(learned.about(second!), { spentKeys: new Set([1]) });
});

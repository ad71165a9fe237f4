// Members that are known to lack something are passed over, unless all of them are.

import assert from "node:assert/strict";
import test from "node:test";
import { ableMembers } from "#ai/failover/able-members.ts";
import { script } from "../scripted-members.ts";

test("members that refused a parameter are passed over, unless it is a hint or all of them did", () => {
  const it = script();
  const choices = ["one", "two"].map((name) => ({ member: it.member(name, []), model: "m" }));
  const [one, two] = choices;
  const learn = (choice: (typeof choices)[number], name: string, model = "m") =>
    choice.member.health.refused.learn(model, { name, valueOnly: false }, { [name]: 1 }, 0);
  learn(one!, "store");
  learn(two!, "top_k", "another model");
  assert.equal(ableMembers(choices, { store: 1, top_k: 1 }, "strict", 0), choices);
  learn(one!, "top_k");
  assert.deepEqual(ableMembers(choices, { top_k: 1 }, "strict", 0), [two]);
  assert.equal(ableMembers(choices, { top_p: 1 }, "strict", 0), choices);
  learn(two!, "top_k");
  assert.equal(ableMembers(choices, { top_k: 1 }, "strict", 0), choices, "the vendor has to say it");
  assert.equal(ableMembers(choices, { top_k: 1 }, "strict", 21_600_000), choices);
});

test("a pool that adapts passes a member over for what changes the answer, and not for sampling", () => {
  const it = script();
  const choices = ["one", "two"].map((name) => ({ member: it.member(name, []), model: "m" }));
  for (const name of ["temperature", "tools"])
    choices[0]!.member.health.refused.learn("m", { name, valueOnly: false }, { [name]: 1 }, 0);
  assert.equal(ableMembers(choices, { temperature: 1 }, "adapt", 0), choices);
  assert.deepEqual(ableMembers(choices, { tools: 1 }, "adapt", 0), [choices[1]]);
  assert.deepEqual(ableMembers(choices, { temperature: 1 }, "strict", 0), [choices[1]]);
});

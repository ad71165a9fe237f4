// Who is well, and whether another is than the one that is asked.

import assert from "node:assert/strict";
import test from "node:test";
import { hasHealthyAlternative, isHealthy } from "#ai/failover/healthy-members.ts";
import { script } from "../scripted-members.ts";

const choiceOf = (name: string) => ({ member: script().member(name, []), model: "m" });

test("well is who is not open, does not rest and has the model", () => {
  const open = choiceOf("open");
  for (let turn = 0; turn < 2; turn++)
    open.member.health.failed(open.member.health.begin(0), 0, "upstream_error", null);
  const probe = choiceOf("probe");
  for (let turn = 0; turn < 2; turn++)
    probe.member.health.failed(probe.member.health.begin(0), 0, "upstream_error", null);
  probe.member.health.checked(0, true);
  const rests = choiceOf("rests");
  rests.member.health.failed(rests.member.health.begin(0), 0, "rate_limited", 5_000);
  const lacks = choiceOf("lacks");
  lacks.member.health.modelMissing(lacks.member.health.begin(0), 0, "m");
  const failed = choiceOf("failed");
  failed.member.health.failed(failed.member.health.begin(0), 0, "upstream_error", null);
  const all = [open, probe, rests, lacks, failed];
  assert.deepEqual(
    all.map((choice) => isHealthy(choice, 1)),
    [false, false, false, false, true],
  );
  assert.equal(hasHealthyAlternative(all, [], open, 1), true);
  assert.equal(hasHealthyAlternative(all, [failed], open, 1), false, "it was asked already");
  assert.equal(hasHealthyAlternative(all, [], failed, 1), false, "it is the one that is asked");
  assert.equal(isHealthy(rests, 5_000), true);
});

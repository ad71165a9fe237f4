// One call is measured from its start, and told once.

import assert from "node:assert/strict";
import test from "node:test";
import { CallTally } from "#ai/call-tally.ts";
import type { CallOutcome } from "#ai/complete.ts";
import { requested } from "./completing.ts";
import { script } from "./scripted-members.ts";

test("a call is recorded once: when its first byte went out, how long it took, and what it used", async () => {
  const it = script();
  const recorded: CallOutcome[] = [];
  let priced = 0;
  const member = it.member("main", [], { price: { input: 1, output: 2 } });
  const members = [
    {
      ...member,
      get price() {
        priced += 1;
        return member.price;
      },
    },
  ];
  const tally = new CallTally(it.deps, { members }, requested(true), (outcome) => recorded.push(outcome));
  await it.clock.advance(40);
  tally.markFirstByte();
  await it.clock.advance(60);
  tally.markFirstByte();
  const choice = { member, model: "m" };
  const served = tally.servedBy(choice, 2);
  assert.deepEqual(served, { provider: "main", model: "m", latency_ms: 40, attempts: 2 });
  tally.addUnits(40);
  const won = { choice, memberCount: 2, forwarded: false, adapted: [], span: null, settle: () => {} };
  tally.close(200, { attempts: [], won, usage: null });
  tally.close(500, null);
  assert.deepEqual(recorded, [
    {
      status: 200,
      member: "main",
      model: "m",
      attempts: [],
      usage: { promptTokens: 5, completionTokens: 10, totalTokens: 15 },
      estimated: true,
      cost: { cost: 25, cost_rest: 0, source: "set" },
      firstByteMs: 40,
      ms: 100,
    },
  ]);
  assert.equal(priced, 1, "the reply and the record have the same figure");
});

test("a call that no member served used nothing", () => {
  const it = script();
  const recorded: CallOutcome[] = [];
  new CallTally(it.deps, { members: [] }, requested(false), (outcome) => recorded.push(outcome)).close(
    503,
    null,
  );
  assert.deepEqual(
    [recorded[0]?.usage.totalTokens, recorded[0]?.estimated, recorded[0]?.member],
    [0, false, null],
  );
});

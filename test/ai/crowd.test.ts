// Many callers at once: a member that is well serves all of them however many others are sick, and an outage of all
// multiplies nothing.

import assert from "node:assert/strict";
import test from "node:test";
import type { AnswerMode } from "#ai/failover/call.ts";
import { createRetryBudget } from "#ai/failover/retry-budget.ts";
import type { Member } from "#ai/pools/member.ts";
import { call, failureOf, run, runAll } from "./failover/chain-calls.ts";
import { answered, type Reply, refusal, script, wholeStream } from "./scripted-members.ts";

const asks: readonly [AnswerMode, Reply][] = [
  ["chat", answered()],
  ["stream", wholeStream],
  ["buffered", wholeStream],
];
const faults: readonly [string, Reply][] = [
  ["silent", "silent"],
  ["503", refusal(503, "overloaded")],
  ["500", refusal(500, "server_error")],
  ["refused", { failed: "unreachable" }],
];

const crowd = (members: readonly Member[], ask: AnswerMode, size: number, budget = createRetryBudget()) =>
  Array.from({ length: size }, () => call(members, ask, { pool: { retryBudget: budget } }));

for (const [name, fault] of faults)
  for (const [ask, good] of asks)
    test(`two members ${name}, one well, 150 calls (${ask}) at once: 150 answers`, async () => {
      const it = script();
      const members = [it.member("a", [fault]), it.member("b", [fault]), it.member("c", [good])];
      const budget = createRetryBudget();
      const results = await runAll(it, crowd(members, ask, 150, budget));
      const kinds = results.map(({ kind }) => kind);
      assert.deepEqual(
        [...new Set(kinds)],
        [{ chat: "answer", stream: "streaming" }[ask as string] ?? "buffered"],
      );
      assert.equal(it.names().filter((member) => member === "c").length, 150);
      for (const result of results) if (result.kind === "streaming") result.won.settle("completed");
      for (const { health } of members) assert.equal(health.inFlight, 0);
      let left = 0;
      while (budget.tryWithdraw()) left += 1;
      assert.equal(left, 50, "what is well is not paid for");
    });

test("no member is well: what is asked beyond the second member stays within the budget, however many call", async () => {
  const it = script();
  const members = ["a", "b", "c", "d", "e"].map((name) => it.member(name, [refusal(503, "overloaded")]));
  const budget = createRetryBudget();
  // The first ones find out; no call can know before.
  for (let turn = 0; turn < 2; turn++)
    failureOf(await run(it, call(members, "chat", { pool: { retryBudget: budget } })));
  assert.ok(members.every(({ health }) => health.isOpen));
  const before = it.asked.length;
  const callers = 300;
  for (let turn = 0; turn < callers / 150; turn++) await runAll(it, crowd(members, "chat", 150, budget));
  const extra = it.asked.length - before - 2 * callers;
  assert.ok(extra <= 50 + 0.2 * callers, `${extra} beyond the second member`);
  assert.ok(extra >= 40, `${extra}: the budget is there to be used`);
});

test("a burst into an outage that no call has met yet asks each member once for each call, and never again", async () => {
  const it = script();
  const members = ["a", "b", "c", "d"].map((name) => it.member(name, [refusal(503, "overloaded")]));
  const budget = createRetryBudget();
  await runAll(it, crowd(members, "chat", 150, budget));
  for (const { name } of members) assert.ok(it.names().filter((asked) => asked === name).length <= 150, name);
  const before = it.asked.length;
  await runAll(it, crowd(members, "chat", 150, budget));
  assert.ok(it.asked.length - before <= 2 * 150 + 50 + 0.2 * 300, `${it.asked.length - before}`);
});

test("with the budget spent, a member that is well is asked before one that is due for a probe", async () => {
  const it = script();
  const sick = refusal(503, "overloaded");
  const members = [
    it.member("a", [sick]),
    it.member("b", [sick]),
    it.member("due", [sick]),
    it.member("well", [answered()]),
  ];
  const { health } = members[2]!;
  for (let turn = 0; turn < 2; turn++) health.failed(health.begin(0), 0, "upstream_error", null);
  health.checked(0, true);
  assert.equal(health.availability(0).kind, "half_open");
  const budget = createRetryBudget();
  while (budget.tryWithdraw());
  const result = await run(it, call(members, "chat", { pool: { retryBudget: budget } }));
  assert.equal(result.kind === "answer" && result.won.choice.member.name, "well");
  assert.deepEqual(it.names(), ["a", "b", "well"]);
});

// A late first output: the next member is asked too, and the first to speak has the call.

import assert from "node:assert/strict";
import test from "node:test";
import type { AnswerMode } from "#ai/failover/call.ts";
import { createHedgeBudget, createRetryBudget } from "#ai/failover/retry-budget.ts";
import type { Member, Pool } from "#ai/pools/member.ts";
import { CallSpan } from "#ai/tracing/call-span.ts";
import { answered, type Reply, refusal, type Script, script, wholeStream } from "../scripted-members.ts";
import { memoryTracer } from "../tracing/spans.ts";
import { call, failureOf, run } from "./chain-calls.ts";

/** A member that took 100 ms for each of its last answers. */
function known(it: Script, name: string, replies: readonly Reply[]): Member {
  const member = it.member(name, replies);
  for (const kind of ["whole", "stream"] as const)
    for (let turn = 0; turn < 20; turn++) {
      const ticket = member.health.begin(0);
      member.health.firstOutput(ticket, 0, 100, kind, 1);
      member.health.succeeded(ticket, 0);
    }
  return member;
}
const late = (afterMs: number, reply: Reply): Reply => ({ afterMs, reply });
const hedged = (members: readonly Member[], mode: AnswerMode = "chat", max = 1, pool: Partial<Pool> = {}) =>
  call(
    members.map((member, at) => Object.assign(member, { priority: at })),
    mode,
    { pool: { hedgeBudget: createHedgeBudget(max), ...pool } },
  );

test("the second is asked when the first is late, and wins; the first is given up without a mark", async () => {
  for (const [mode, reply] of [
    ["chat", answered("second")],
    ["stream", wholeStream],
  ] as const) {
    const it = script();
    const members = [known(it, "first", [late(10_000, reply)]), known(it, "second", [reply])];
    const result = await run(it, hedged(members, mode));
    assert.ok(result.kind === "answer" || result.kind === "streaming");
    assert.deepEqual([result.won.choice.member.name, result.won.memberCount], ["second", 2]);
    assert.deepEqual(
      it.asked.map(({ member, at }) => [member, at]),
      [
        ["first", 0],
        ["second", 100],
      ],
    );
    assert.deepEqual(
      result.attempts.map(({ member, outcome }) => [member, outcome]),
      [
        ["first", "aborted"],
        ["second", "ok"],
      ],
    );
    assert.deepEqual(
      result.attempts.map(({ given_up }) => given_up),
      [true, undefined],
      "the provider may bill it",
    );
    assert.deepEqual(it.aborted, ["first"]);
    await it.clock.settle();
    const { health } = members[0]!;
    assert.deepEqual([health.inFlight, health.availability(100, "model-first").kind], [0, "up"]);
    assert.deepEqual(it.down, []);
  }
});

test("each of the two leaves a span; that of the one that was given up is cancelled", async () => {
  const { tracer, spans } = memoryTracer();
  const it = script();
  const members = [known(it, "first", [late(10_000, answered())]), known(it, "second", [answered("second")])];
  const asked = hedged(members);
  const { pool } = asked;
  const begun = {
    id: "req_1",
    pool,
    kind: "chat",
    format: "chat_completions",
    model: null,
    stream: false,
  } as const;
  await run(it, { ...asked, span: new CallSpan(tracer, { ...begun, extraHeaders: null }) });
  await it.clock.settle();
  const outcomes = spans().map(({ attributes }) => [
    attributes["trunkline.member"],
    attributes["trunkline.attempt.outcome"],
    attributes["error.type"],
  ]);
  assert.deepEqual(outcomes.toSorted(), [
    ["first", "given_up", "cancelled"],
    ["second", "ok", undefined],
  ]);
});

test("the winner's stream that is stopped was not given up", async () => {
  const { tracer, spans } = memoryTracer();
  const it = script();
  const members = [known(it, "first", [late(10_000, wholeStream)]), known(it, "second", [wholeStream])];
  const asked = hedged(members, "stream");
  const begun = {
    id: "req_1",
    pool: asked.pool,
    kind: "chat",
    format: "chat_completions",
    model: null,
  } as const;
  const span = new CallSpan(tracer, { ...begun, stream: true, extraHeaders: null });
  const result = await run(it, { ...asked, span });
  assert.ok(result.kind === "streaming");
  // As at a shutdown, when the caller is still there.
  result.stream.cancel();
  result.won.settle("dropped");
  await it.clock.settle();
  const outcomes = spans().map(({ attributes }) => [
    attributes["trunkline.member"],
    attributes["trunkline.attempt.outcome"],
  ]);
  assert.deepEqual(outcomes.toSorted(), [
    ["first", "given_up"],
    ["second", "aborted"],
  ]);
});

test("the first may still win, and then the second is given up", async () => {
  const it = script();
  const members = [
    known(it, "first", [late(150, answered())]),
    known(it, "second", [late(10_000, answered())]),
  ];
  const result = await run(it, hedged(members));
  assert.deepEqual(result.kind === "answer" && result.won.choice.member.name, "first");
  assert.deepEqual(it.aborted, ["second"]);
  await it.clock.settle();
  assert.deepEqual(
    members.map(({ health }) => health.inFlight),
    [0, 0],
  );
});

test("no second member is asked before it is late, without a budget, without a known time or without a healthy other", async () => {
  const quick = script();
  const well = [known(quick, "first", [late(99, answered())]), known(quick, "second", [answered()])];
  await run(quick, hedged(well));
  assert.deepEqual(quick.names(), ["first"]);
  const poor = script();
  const slow = [known(poor, "first", [late(500, answered())]), known(poor, "second", [answered()])];
  const spent = hedged(slow, "chat", 0.001);
  for (let turn = 0; turn < 3; turn++) await run(poor, { ...spent, deadlineAt: 600_000 + turn * 1_000 });
  assert.deepEqual(poor.names(), ["first", "second", "first", "first"], "one is saved at the start");
  const retries = createRetryBudget();
  while (retries.tryWithdraw());
  const outage = script();
  const both = [known(outage, "first", [late(500, answered())]), known(outage, "second", [answered()])];
  await run(outage, hedged(both, "chat", 1, { retryBudget: retries }));
  assert.deepEqual(outage.names(), ["first"], "the retry budget pays");
  const fresh = script();
  const unknown = [fresh.member("first", [late(500, answered())]), fresh.member("second", [answered()])];
  await run(fresh, hedged(unknown));
  assert.deepEqual(fresh.names(), ["first"]);
  const lonely = script();
  const ill = [known(lonely, "first", [late(500, answered())]), known(lonely, "second", [answered()])];
  for (let turn = 0; turn < 2; turn++)
    ill[1]!.health.failed(ill[1]!.health.begin(0), 0, "upstream_error", null);
  await run(lonely, hedged(ill));
  assert.deepEqual(lonely.names(), ["first"]);
});

test("when one fails the other has the call; when both fail the chain goes on", async () => {
  const it = script();
  const down = refusal(502, "down");
  const members = [known(it, "first", [late(200, down)]), known(it, "second", [late(300, answered())])];
  const result = await run(it, hedged(members));
  assert.deepEqual(result.kind === "answer" && result.won.choice.member.name, "second");
  assert.deepEqual(
    result.attempts.map(({ member, outcome }) => [member, outcome]),
    [
      ["first", "upstream_error"],
      ["second", "ok"],
    ],
  );
  const all = script();
  const three = [
    known(all, "first", [late(200, down)]),
    known(all, "second", [late(300, down)]),
    known(all, "third", [answered()]),
  ];
  const third = await run(all, hedged(three));
  assert.deepEqual(third.kind === "answer" && [third.won.choice.member.name, third.won.memberCount], [
    "third",
    3,
  ]);
  const none = script();
  const two = [known(none, "first", [late(200, down)]), known(none, "second", [late(300, down)])];
  assert.equal(failureOf(await run(none, hedged(two))).status, 502);
  assert.deepEqual(none.names(), ["first", "second"]);
});

test("a client that leaves ends both requests", async () => {
  const it = script();
  const gone = new AbortController();
  const members = [known(it, "first", ["silent"]), known(it, "second", ["silent"])];
  const running = run(it, { ...hedged(members), signal: gone.signal });
  await it.clock.advance(150);
  gone.abort();
  assert.equal((await running).kind, "aborted");
  await it.clock.settle();
  assert.deepEqual(it.aborted.sort(), ["first", "second"]);
  assert.deepEqual(
    members.map(({ health }) => health.inFlight),
    [0, 0],
  );
});

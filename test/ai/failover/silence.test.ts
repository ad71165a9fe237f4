// A member that is silent behind whole answers: another is asked in time, and those who gave up on it are heard. And
// what callers do to themselves, by leaving early, by asking for nothing or for too much, hurts no other caller.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { AnswerMode } from "#ai/failover/call.ts";
import { runFailover } from "#ai/failover/failover.ts";
import type { Member } from "#ai/pools/member.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { answered, json, type Reply, type Script, script, wholeStream } from "../scripted-members.ts";
import { call, failureOf, run } from "./chain-calls.ts";

test("a whole answer: each member gets half of what is left while another is well, the last one the rest", async () => {
  for (const ask of ["chat", "embeddings"] as const) {
    const it = script();
    const members = ["a", "b", "c"].map((name) => it.member(name, ["silent"]));
    const failure = failureOf(await run(it, call(members, ask)));
    assert.equal(failure.status, 504);
    assert.deepEqual(
      it.asked.map(({ member, at, request }) => [member, at, request.headersMs]),
      [
        ["a", 0, 300_000],
        ["b", 300_000, 150_000],
        ["c", 450_000, 150_000],
      ],
    );
  }
});

test("a pool's own limit for whole answers; it is no limit of streams, nor of the last member", async () => {
  const it = script();
  const members = [it.member("silent", ["silent"]), it.member("well", [answered()])];
  const result = await run(it, call(members, "chat", { pool: { timeouts: { answer_ms: 2_000 } } }));
  assert.equal(result.kind === "answer" && result.won.choice.member.name, "well");
  assert.deepEqual(
    it.asked.map(({ at, request }) => [at, request.headersMs]),
    [
      [0, 2_000],
      [2_000, 598_000],
    ],
  );
  for (const ask of ["stream", "buffered"] as const) {
    const streaming = script();
    const slow: Reply = { afterMs: 50_000, reply: wholeStream };
    const two = [streaming.member("slow", [slow]), streaming.member("well", [wholeStream])];
    const spoken = await run(streaming, call(two, ask, { pool: { timeouts: { answer_ms: 2_000 } } }));
    assert.ok(spoken.kind === "streaming" || spoken.kind === "buffered");
    assert.equal(spoken.won.choice.member.name, "slow");
  }
});

test("a member with twenty known answers is left after four times the slowest, but not within a minute", async () => {
  for (const [knownMs, limitMs] of [
    [300, 60_000],
    [20_000, 80_000],
    [100_000, 300_000],
  ] as const) {
    const it = script();
    const members = [it.member("silent", ["silent"]), it.member("well", [answered()])];
    const { health } = members[0]!;
    for (let turn = 0; turn < 20; turn++) {
      const ticket = health.begin(0);
      health.firstOutput(ticket, 0, knownMs, "whole");
      health.succeeded(ticket, 0);
    }
    const result = await run(it, call(members));
    assert.equal(result.kind === "answer" && result.won.choice.member.name, "well");
    assert.deepEqual(
      it.asked.map(({ at }) => at),
      [0, limitMs],
    );
  }
});

test("with the others down, or without the model, a member has all of the time", async () => {
  const it = script();
  const slow: Reply = { afterMs: 500_000, reply: answered() };
  const members = [it.member("slow", [slow]), it.member("down", []), it.member("lacks", [])];
  const [, down, lacks] = members.map(({ health }) => health);
  down!.failed(down!.begin(0), 0, "rate_limited", 600_000);
  lacks!.modelMissing(lacks!.begin(0), 0, "model-lacks");
  const result = await run(it, call(members, "chat"));
  assert.equal(result.kind === "answer" && result.won.choice.member.name, "slow");
});

/** Callers one after the other, each of whom leaves after this. */
async function leavers(
  it: Script,
  members: readonly Member[],
  ask: AnswerMode,
  waits: readonly number[],
): Promise<void> {
  for (const waitMs of waits) {
    const gone = new AbortController();
    const running = runFailover(
      it.deps,
      call(members, ask, { signal: gone.signal, deadlineAt: Number.MAX_SAFE_INTEGER }),
    );
    await it.clock.advance(waitMs);
    gone.abort();
    const result = await running;
    if (result.kind === "streaming") result.won.settle("dropped");
    await it.clock.settle();
  }
}

test("five callers who give up on a silent member one after the other: it opens, the account is notified, others go elsewhere", async () => {
  for (const [ask, good] of [
    ["chat", answered()],
    ["stream", wholeStream],
    ["buffered", wholeStream],
  ] as const) {
    const it = script();
    const members = [it.member("silent", ["silent"]), it.member("well", [good])];
    await leavers(it, members, ask, [30_000, 30_000, 30_000, 30_000]);
    assert.equal(members[0]!.health.isOpen, true, ask);
    assert.deepEqual(
      it.down.map(({ member, failure }) => [member, failure.error.code]),
      [["silent", "upstream_timeout"]],
    );
    assert.equal(members[0]!.health.inFlight, 0);
    const result = await run(it, call(members, ask, { deadlineAt: Number.MAX_SAFE_INTEGER }));
    assert.ok(result.kind !== "failed" && result.kind !== "aborted");
    assert.equal(result.won.choice.member.name, "well");
  }
});

test("what is usual is the member's own: after quick answers 12 s are long, after slow ones they are not", async () => {
  for (const [knownMs, opens] of [
    [400, true],
    [20_000, false],
  ] as const) {
    const it = script();
    const knownReply: Reply = { afterMs: knownMs, reply: answered() };
    const members = [it.member("one", [knownReply, knownReply, "silent"]), it.member("two", [answered()])];
    for (let turn = 0; turn < 2; turn++)
      await run(it, call(members, "chat", { deadlineAt: Number.MAX_SAFE_INTEGER }));
    await leavers(it, members, "chat", [12_000, 12_000, 12_000, 12_000]);
    assert.equal(members[0]!.health.isOpen, opens);
  }
});

test("callers with little patience: their waits on a member that answers no request add up", async () => {
  const counted = async (known: number, waitMs: number, callers: number) => {
    const it = script();
    const members = [it.member("silent", ["silent"]), it.member("well", [answered()])];
    const { health } = members[0]!;
    for (let turn = 0; turn < known; turn++) {
      const ticket = health.begin(0);
      health.firstOutput(ticket, 0, 300, "whole");
      health.succeeded(ticket, 0);
    }
    await leavers(it, members, "chat", Array(callers).fill(waitMs));
    return health.isOpen;
  };
  assert.equal(await counted(20, 1_500, 4), true, "it is known to answer in 300 ms");
  assert.equal(await counted(20, 1_100, 30), false, "within four times that");
  assert.equal(await counted(1, 1_500, 10), true, "over 10 s");
  assert.equal(await counted(1, 1_500, 9), false);
  assert.equal(await counted(0, 4_000, 8), true, "over 20 s");
  assert.equal(await counted(0, 4_000, 7), false);
  assert.equal(await counted(0, 900, 100), false, "they changed their minds");
});

test("a long prompt takes longer, so its caller's patience is measured by its length", async () => {
  const it = script();
  const members = [it.member("one", ["silent"]), it.member("two", [answered()])];
  for (let turn = 0; turn < 6; turn++) {
    const gone = new AbortController();
    const options = { signal: gone.signal, promptTokens: 40_000, deadlineAt: Number.MAX_SAFE_INTEGER };
    const running = runFailover(it.deps, call(members, "chat", options));
    await it.clock.advance(60_000);
    gone.abort();
    await running;
  }
  assert.equal(members[0]!.health.isOpen, false);
});

test("property: callers who leave within a second never change anything, nor do those who leave one that answers others", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<AnswerMode>("chat", "stream", "buffered"),
      fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 30 }),
      fc.boolean(),
      async (ask, waits, known) => {
        const it = script();
        const good = ask === "chat" ? answered() : wholeStream;
        const members = [it.member("one", known ? [good, "silent"] : ["silent"]), it.member("two", [good])];
        const { health } = members[0]!;
        if (known) {
          const result = await run(it, call(members, ask, { deadlineAt: Number.MAX_SAFE_INTEGER }));
          if (result.kind === "streaming") result.won.settle("completed");
        }
        const now = it.clock.monotonic();
        const before = [
          health.availability(now),
          health.cost(now, "stream"),
          health.cost(now, "whole"),
          health.inFlight,
        ];
        await leavers(it, members, ask, waits);
        assert.deepEqual(
          [health.availability(now), health.cost(now, "stream"), health.cost(now, "whole"), health.inFlight],
          before,
        );
        // One more failure does not open it: nothing was counted.
        const later = it.clock.monotonic();
        health.failed(health.begin(later), later, "upstream_error", null);
        assert.equal(health.isOpen, false);
      },
    ),
    { numRuns: 60 },
  );
});

test("one impatient caller, however often and however long, does not hurt a member that answers others", async () => {
  const it = script();
  const member = it.member("only", ["silent"]);
  const { health } = member;
  for (let turn = 0; turn < 20; turn++) {
    const gone = new AbortController();
    const options = { signal: gone.signal, deadlineAt: Number.MAX_SAFE_INTEGER };
    const running = runFailover(it.deps, call([member, it.member("two", [answered()])], "chat", options));
    await it.clock.advance(200_000);
    const now = it.clock.monotonic();
    const other = health.begin(now);
    health.firstOutput(other, now, 300, "whole");
    health.succeeded(other, now);
    await it.clock.advance(50_000);
    gone.abort();
    await running;
  }
  assert.equal(health.isOpen, false);
  assert.equal(health.failed(health.begin(9e6), 9e6, "upstream_error", null), false);
});

test("requests that take for ever, while the member answers others: they fail over, and it stays up", async () => {
  const it = script();
  const members = [it.member("one", ["silent"]), it.member("two", [wholeStream])];
  const { health } = members[0]!;
  const now = () => it.clock.monotonic();
  // The other callers of the minute.
  const others = () => {
    for (let turn = 0; turn < 20; turn++) {
      const ticket = health.begin(now());
      health.firstOutput(ticket, now(), 300);
      health.succeeded(ticket, now());
    }
  };
  const running = Array.from({ length: 4 }, () => runFailover(it.deps, call(members, "stream")));
  await it.clock.advance(59_000);
  others();
  await it.clock.advance(2_000);
  for (const result of await Promise.all(running))
    assert.equal(result.kind === "streaming" && result.won.choice.member.name, "two");
  assert.equal(health.isOpen, false, "4 of 24 failed, and others were answered meanwhile");
  const silent = Array.from({ length: 2 }, () => runFailover(it.deps, call(members, "stream")));
  await it.clock.advance(61_000);
  await Promise.all(silent);
  assert.equal(health.isOpen, true, "no caller was answered while these two waited");
});

test("empty answers to one caller do not take down a member that answers others, and do where it answers no caller", async () => {
  const empty = json({ choices: [{ message: { role: "assistant", content: "" }, finish_reason: "stop" }] });
  for (const serves of [true, false]) {
    const it = script();
    const members = [it.member("one", [empty]), it.member("two", [answered()])];
    const { health } = members[0]!;
    if (serves)
      for (let turn = 0; turn < 12; turn++) {
        const ticket = health.begin(0);
        health.firstOutput(ticket, 0, 100, "whole");
        health.succeeded(ticket, 0);
      }
    for (let turn = 0; turn < 3; turn++) {
      const result = await run(it, call(members));
      assert.equal(result.kind === "answer" && result.won.choice.member.name, "two");
    }
    assert.equal(health.isOpen, !serves);
  }
});

test("an answer that is bound to be empty because its caller allows one token is an answer", async () => {
  const it = script();
  const short = json({ choices: [{ message: { role: "assistant", content: "" }, finish_reason: "length" }] });
  const members = [it.member("one", [short]), it.member("two", [answered()])];
  const result = await run(it, call(members));
  assert.equal(result.kind === "answer" && result.won.choice.member.name, "one");
});

test("a bug in reading an answer leaves nothing under way, and no probe behind", async () => {
  const it = script();
  const answer = () => {
    throw new Error("a bug");
  };
  const member = it.member("only", [answered()], { provider: { ...openaiCompatible, answer } });
  const { health } = member;
  for (let turn = 0; turn < 2; turn++) health.failed(health.begin(0), 0, "upstream_error", null);
  health.checked(0, true);
  for (let turn = 0; turn < 2; turn++) {
    assert.equal(health.availability(0).kind, "half_open");
    await assert.rejects(runFailover(it.deps, call([member])), /a bug/);
    assert.equal(health.inFlight, 0);
  }
});

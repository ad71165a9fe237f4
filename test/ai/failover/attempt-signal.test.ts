// A member that opens is left by those who wait for it, as soon as they have waited longer than is usual, if they have
// somewhere to go.

import assert from "node:assert/strict";
import test from "node:test";
import { AttemptSignal } from "#ai/failover/attempt-signal.ts";
import { runFailover } from "#ai/failover/failover.ts";
import { MemberHealth } from "#ai/health/health.ts";
import type { Member } from "#ai/pools/member.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Reply, type Script, script, wholeStream } from "../scripted-members.ts";
import { call } from "./chain-calls.ts";

function waiting(overdueAt = 0) {
  const clock = movableClock();
  const caller = new LightAbortController();
  const health = new MemberHealth();
  let elsewhere = true;
  const one = new AttemptSignal(clock, caller, health, overdueAt, () => elsewhere);
  let noticed = 0;
  const listener = () => {
    noticed += 1;
  };
  one.addEventListener("abort", listener, { once: true });
  const opens = () => {
    const now = clock.monotonic();
    for (let turn = 0; turn < 2; turn++) health.failed(health.begin(now), now, "upstream_error", null);
  };
  return {
    clock,
    caller,
    health,
    one,
    listener,
    noticed: () => noticed,
    opens,
    nowhere: () => (elsewhere = false),
  };
}

test("it ends with its caller, without being given up, and lets go when asked to", () => {
  const left = waiting();
  left.caller.abort();
  assert.deepEqual([left.noticed(), left.one.aborted, left.one.abandoned], [1, true, false]);
  const deaf = waiting();
  deaf.one.removeEventListener("abort", deaf.listener);
  deaf.caller.abort();
  deaf.one.abort();
  assert.equal(deaf.noticed(), 0);
});

test("the member opens: an overdue one is given up at once, another when it is, one that has ended never", async () => {
  const overdue = waiting();
  overdue.opens();
  assert.deepEqual([overdue.noticed(), overdue.one.aborted, overdue.one.abandoned], [1, true, true]);
  assert.equal(overdue.caller.aborted, false);
  const later = waiting(5_000);
  later.opens();
  await later.clock.advance(4_999);
  assert.equal(later.noticed(), 0);
  await later.clock.advance(1);
  assert.equal(later.one.abandoned, true);
  for (const when of ["before", "after"] as const) {
    const ended = waiting(5_000);
    if (when === "before") ended.one.end();
    ended.opens();
    ended.one.end();
    assert.equal(ended.clock.sleeping(), 0);
    await ended.clock.advance(10_000);
    assert.equal(ended.noticed(), 0, when);
  }
});

test("with no other member to go to it stays", async () => {
  for (const overdueAt of [0, 5_000]) {
    const alone = waiting(overdueAt);
    alone.nowhere();
    alone.opens();
    await alone.clock.advance(10_000);
    assert.equal(alone.noticed(), 0);
  }
});

/** Callers of a silent member, one at each of these times; how they ended, and when. */
async function rolling(it: Script, members: readonly Member[], starts: readonly number[]) {
  const ended: { startedAt: number; at: number; kind: string; asked: number }[] = [];
  const running: Promise<void>[] = [];
  for (const startedAt of starts) {
    await it.clock.advance(startedAt - it.clock.monotonic());
    const streamed = call(members, "stream", { deadlineAt: startedAt + 600_000 });
    running.push(
      runFailover(it.deps, streamed).then((result) => {
        ended.push({ startedAt, at: it.clock.monotonic(), kind: result.kind, asked: result.attempts.length });
        if (result.kind === "streaming") result.won.settle("completed");
      }),
    );
  }
  await it.clock.advance(700_000);
  await Promise.all(running);
  return ended.toSorted((a, b) => a.startedAt - b.startedAt);
}

test("a silent member opens: those who wait leave as soon as they have waited longer than usual, not at their own limits", async () => {
  const it = script();
  const members = [it.member("silent", ["silent"]), it.member("well", [wholeStream])];
  const ended = await rolling(it, members, [0, 0, 10_000, 30_000, 39_000, 55_000]);
  // The limit until the head is 60 s; of a member that has answered no call yet, 20 s is longer than usual.
  assert.deepEqual(
    ended.map(({ at }) => at),
    [60_000, 60_000, 60_000, 60_000, 60_000, 75_000],
  );
  assert.ok(ended.every(({ kind, asked }) => kind === "streaming" && asked === 2));
  const { health } = members[0]!;
  assert.equal(health.inFlight, 0);
  assert.equal(it.down.length, 1, "what was given up did not count again");
  assert.equal(it.clock.sleeping(), 0);
});

test("with no other member well, those who wait stay: the member may be slow and answer after all", async () => {
  const it = script();
  const slow: Reply = { afterMs: 50_000, reply: wholeStream };
  const members = [
    it.member("slow", ["silent", "silent", slow]),
    it.member("sick", [{ failed: "unreachable" }]),
  ];
  for (let turn = 0; turn < 2; turn++) {
    const { health } = members[1]!;
    health.failed(health.begin(0), 0, "upstream_error", null);
  }
  const ended = await rolling(it, members, [0, 0, 20_000]);
  assert.deepEqual([ended[2]?.at, ended[2]?.kind], [70_000, "streaming"]);
});

test("a member that came back meanwhile is not left", async () => {
  const it = script();
  const slow: Reply = { afterMs: 40_000, reply: wholeStream };
  const members = [
    it.member("flaky", [{ failed: "unreachable" }, slow, { failed: "unreachable" }, wholeStream]),
    it.member("well", [wholeStream]),
  ];
  const running = [0, 1, 2].map(async (at) => {
    await it.clock.sleep(at);
    return await runFailover(it.deps, call(members, "stream"));
  });
  await it.clock.advance(2);
  const { health } = members[0]!;
  assert.equal(health.isOpen, true);
  await it.clock.advance(8_000);
  const back = await runFailover(it.deps, call(members, "stream"));
  assert.equal(back.kind === "streaming" && back.won.choice.member.name, "flaky");
  assert.equal(health.isOpen, false);
  await it.clock.advance(60_000);
  const results = await Promise.all(running);
  assert.deepEqual(
    results.map((result) => result.kind === "streaming" && result.won.choice.member.name),
    ["well", "flaky", "well"],
  );
});

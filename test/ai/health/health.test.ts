// A member's health: when it opens, who may probe it, what closes it, how long it rests.

import assert from "node:assert/strict";
import test from "node:test";
import { healthRules, MemberHealth } from "#ai/health/health.ts";

const { firstProbeMs, maxProbeMs, unreliableProbeMs, maxCooldownMs, minCooldownMs } = healthRules;

function failing(health: MemberHealth, at: number): boolean {
  return health.failed(health.begin(at), at, "upstream_error", null);
}

function opened(at = 0): MemberHealth {
  const health = new MemberHealth();
  assert.equal(failing(health, at), false);
  assert.equal(failing(health, at), true);
  return health;
}

function answering(health: MemberHealth, at: number, firstOutputMs = 10): boolean {
  const ticket = health.begin(at);
  const recovered = health.firstOutput(ticket, at + firstOutputMs, firstOutputMs);
  health.succeeded(ticket, at + firstOutputMs);
  return recovered;
}

test("two failures in a row open it, and a success between them does not let it", () => {
  const health = new MemberHealth();
  failing(health, 0);
  answering(health, 1);
  failing(health, 20);
  assert.equal(health.availability(20).kind, "up");
  assert.equal(failing(health, 21), true);
  assert.deepEqual(health.availability(21), { kind: "down", until: 21 + firstProbeMs, why: "open" });
});

test("a third of at least ten requests of the last minute opens it, older ones do not count", () => {
  const run = (failedAt: number, answersAt: number) => {
    const health = new MemberHealth();
    for (let turn = 0; turn < 3; turn++) {
      failing(health, failedAt);
      for (let good = 0; good < 2; good++) answering(health, answersAt);
    }
    answering(health, answersAt);
    answering(health, answersAt);
    return failing(health, answersAt + 20);
  };
  assert.equal(run(0, 0), true, "4 of 12");
  assert.equal(run(0, 70_000), false, "1 of 9 within the minute");
});

test("nine requests are too few to judge by their share", () => {
  const health = new MemberHealth();
  for (let turn = 0; turn < 4; turn++) {
    failing(health, 0);
    answering(health, 0);
  }
  assert.equal(failing(health, 0), false);
  answering(health, 0);
  assert.equal(failing(health, 0), true);
});

test("one probe at a time; its failure doubles the wait, up to the longest", () => {
  const health = opened();
  let at = 0;
  for (const waitMs of [firstProbeMs, 2 * firstProbeMs, maxProbeMs, maxProbeMs]) {
    assert.equal(health.availability(at + waitMs - 1).kind, "down");
    at += waitMs;
    assert.equal(health.availability(at).kind, "half_open");
    const probe = health.begin(at);
    assert.equal(probe.probe, true);
    assert.equal(health.availability(at).kind, "down");
    assert.equal(health.begin(at).probe, false);
    assert.equal(health.failed(probe, at, "upstream_error", null), false);
  }
});

test("a check's word allows a probe at once, but not again after it has lied", () => {
  const health = opened();
  assert.equal(health.needsCheck(100), true);
  health.checked(100, true);
  assert.equal(health.availability(100).kind, "half_open");
  failing(health, 100);
  health.checked(200, true);
  assert.deepEqual(health.availability(200), {
    kind: "down",
    until: 100 + unreliableProbeMs,
    why: "open",
  });
  assert.equal(answering(health, 100 + unreliableProbeMs), true);
  failing(health, 50_000);
  failing(health, 50_000);
  health.checked(50_001, true);
  assert.equal(
    health.availability(50_001).kind,
    "half_open",
    "a recovered member's checks are believed again",
  );
});

test("while checks find it down no call probes it, but not for ever", () => {
  const health = opened();
  for (let at = 0; at < healthRules.maxUnprobedMs; at += 2_000) {
    health.checked(at, false);
    assert.equal(health.availability(at).kind, "down");
  }
  assert.equal(health.availability(healthRules.maxUnprobedMs).kind, "half_open");
});

test("what started before it opened neither closes it nor counts against it, not even after it closed", () => {
  const health = new MemberHealth();
  const early = [health.begin(0), health.begin(0), health.begin(0)] as const;
  failing(health, 5);
  failing(health, 5);
  assert.equal(health.firstOutput(early[0], 6, 6), false);
  assert.equal(health.isOpen, true);
  const until = health.availability(6);
  assert.equal(health.failed(early[1], 7, "upstream_error", null), false);
  assert.deepEqual(health.availability(6), until);
  assert.equal(answering(health, 5 + firstProbeMs), true);
  failing(health, 9_000);
  assert.equal(health.availability(9_000).kind, "up");
  answering(health, 9_001);
  assert.equal(health.failed(early[2], 9_020, "upstream_error", null), false);
  failing(health, 9_021);
  assert.equal(health.availability(9_021).kind, "up", "one failure in a row, not two");
});

test("a server without capacity rests as long as it asks, a minute at the most, and a later answer ends it", () => {
  const health = new MemberHealth();
  const busy = (at: number, ms: number) => health.failed(health.begin(at), at, "upstream_error", ms);
  const early = health.begin(0);
  assert.equal(busy(0, 7_000), false);
  assert.deepEqual(health.availability(6_999), { kind: "down", until: 7_000, why: "open" });
  assert.equal(health.isOpen, false, "one failure does not open the circuit");
  assert.equal(health.availability(7_000).kind, "up");
  answering(health, 7_000);
  busy(10_000, 3_600_000);
  assert.deepEqual(health.availability(10_000), {
    kind: "down",
    until: 10_000 + healthRules.maxUnavailableMs,
    why: "open",
  });
  health.firstOutput(early, 10_001, 10_001);
  assert.equal(health.availability(10_001).kind, "down", "an answer to an earlier request says nothing");
  answering(health, 10_002);
  assert.equal(health.availability(10_003).kind, "up");
});

test("a rest: a longer one extends it, a shorter one does not cut it, an absurd one is clamped", () => {
  const health = new MemberHealth();
  const limited = (at: number, ms: number | null) => health.failed(health.begin(at), at, "rate_limited", ms);
  limited(0, 2_000);
  assert.deepEqual(health.availability(0), { kind: "down", until: 2_000, why: "cooling_down" });
  limited(100, 10_000);
  assert.deepEqual(health.availability(100), { kind: "down", until: 10_100, why: "cooling_down" });
  limited(200, 1_000);
  assert.deepEqual(health.availability(200), { kind: "down", until: 10_100, why: "cooling_down" });
  assert.equal(health.availability(10_100).kind, "up");
  limited(20_000, 86_400_000);
  assert.deepEqual(health.availability(20_000), {
    kind: "down",
    until: 20_000 + maxCooldownMs,
    why: "cooling_down",
  });
  const other = new MemberHealth();
  other.failed(other.begin(0), 0, "rate_limited", 0);
  assert.deepEqual(other.availability(0), { kind: "down", until: minCooldownMs, why: "cooling_down" });
  assert.equal(other.isOpen, false);
});

test("a refused key rests long and is reported once, until it works again", () => {
  const health = new MemberHealth();
  const denied = (at: number) => health.failed(health.begin(at), at, "unauthorized", null);
  assert.equal(denied(0), true);
  assert.deepEqual(health.availability(0), {
    kind: "down",
    until: healthRules.unauthorizedCooldownMs,
    why: "unauthorized",
  });
  assert.equal(denied(70_000), false);
  assert.equal(answering(health, 140_000), true, "it is up again");
  assert.equal(denied(150_000), true);
});

test("a model that it lacks rests alone", () => {
  const health = new MemberHealth();
  health.modelMissing(health.begin(0), 0, "gone");
  assert.equal(health.isModelMissing("gone", 1), true);
  assert.equal(health.isModelMissing("other", 1), false);
  assert.equal(health.availability(1).kind, "up");
  assert.equal(health.isModelMissing("gone", healthRules.missingModelCooldownMs), false);
});

test("a limit rests the model that was asked for, and no other one", () => {
  const health = new MemberHealth();
  const limited = (at: number, ms: number | null) =>
    health.failed(health.begin(at), at, "rate_limited", ms, "m1");
  assert.equal(limited(0, 10_000), false);
  const resting = { kind: "down", until: 10_000, why: "cooling_down" };
  assert.deepEqual(health.availability(0, "m1"), resting);
  for (const other of ["m2", undefined]) assert.equal(health.availability(0, other).kind, "up");
  assert.equal(health.isModelMissing("m1", 0), false);
  limited(100, 1_000);
  assert.deepEqual(health.availability(100, "m1"), resting, "a shorter rest does not cut it");
  assert.equal(health.availability(10_000, "m1").kind, "up");
  health.failed(health.begin(20_000), 20_000, "unauthorized", null, "m1");
  assert.equal(health.availability(20_000, "m2").kind, "down", "a refused key is the member's");
});

test("as a whole a member rests while each of its models does", () => {
  const health = new MemberHealth();
  const limited = (model: string, ms: number) => health.failed(health.begin(0), 0, "rate_limited", ms, model);
  limited("m1", 4_000);
  assert.equal(health.overallAvailability(0, ["m1", "m2"]).kind, "up");
  limited("m2", 2_000);
  assert.deepEqual(health.overallAvailability(0, ["m1", "m2"]), {
    kind: "down",
    until: 2_000,
    why: "cooling_down",
  });
  assert.equal(health.overallAvailability(0, []).kind, "up");
  assert.equal(health.overallAvailability(2_000, ["m1", "m2"]).kind, "up");
});

test("callers who leave say nothing, not even in a probe", () => {
  const health = opened();
  const probe = health.begin(firstProbeMs);
  health.dropped(probe);
  assert.equal(health.availability(firstProbeMs).kind, "half_open");
  const well = new MemberHealth();
  for (let turn = 0; turn < 20; turn++) well.dropped(well.begin(turn));
  assert.equal(well.availability(20).kind, "up");
  assert.equal(well.inFlight, 0);
});

test("who leaves a silent member after longer than usual weighs half a failure; who leaves sooner, nothing", () => {
  const silentFor = (health: MemberHealth, at: number, ms: number) =>
    health.clientDisconnected(health.begin(at), at + ms, "stream", 1);
  const health = new MemberHealth();
  answering(health, 0, 2_000);
  assert.equal(health.overdueMs("stream", 1), 8_000);
  for (let turn = 0; turn < 50; turn++) assert.equal(silentFor(health, 10_000, 7_999), false);
  const outcomes = Array.from({ length: 4 }, () => silentFor(health, 10_000, 8_000));
  assert.deepEqual(outcomes, [false, false, false, true]);
  const again = new MemberHealth();
  silentFor(again, 0, 20_000);
  silentFor(again, 0, 20_000);
  assert.equal(failing(again, 20_000), true, "two of them and a failure are two failures");
  const well = new MemberHealth();
  for (let turn = 0; turn < 20; turn++) {
    silentFor(well, turn * 30_000, 20_000);
    answering(well, turn * 30_000 + 25_000);
  }
  assert.equal(well.availability(600_000).kind, "up", "not in a row");
});

test("a member that said something to anybody meanwhile is not silent", () => {
  const health = new MemberHealth();
  for (let turn = 0; turn < 20; turn++) {
    const ticket = health.begin(turn * 100_000);
    const other = health.begin(turn * 100_000 + 50_000);
    // Begun, not ended: a word is enough.
    health.firstOutput(other, turn * 100_000 + 51_000, 1_000);
    assert.equal(health.clientDisconnected(ticket, turn * 100_000 + 99_000, "stream", 1), false);
  }
  assert.equal(health.availability(2e6).kind, "up");
});

test("a probe whose caller leaves early may be made again at once; one that was silent for long has failed", () => {
  const early = opened();
  early.clientDisconnected(early.begin(firstProbeMs), firstProbeMs + 100, "stream", 1);
  assert.equal(early.availability(firstProbeMs + 100).kind, "half_open");
  const late = opened();
  const at = firstProbeMs + 20_000;
  assert.equal(
    late.clientDisconnected(late.begin(firstProbeMs), at, "stream", 1),
    false,
    "it was down before",
  );
  assert.deepEqual(late.availability(at), { kind: "down", until: at + 2 * firstProbeMs, why: "open" });
});

test("a failure that may be its request's own counts for the share of failures, not in a row", () => {
  const health = new MemberHealth();
  for (let turn = 0; turn < 6; turn++) answering(health, 0);
  const outcomes = Array.from({ length: 4 }, () =>
    health.failed(health.begin(20), 20, "upstream_error", null, null, true),
  );
  assert.deepEqual(outcomes, [false, false, false, true], "4 of 10");
});

test("who watches is notified once when it opens, and not any more afterwards", () => {
  const heard: number[] = [];
  const watcher = { circuitOpened: (now: number) => heard.push(now) };
  const health = new MemberHealth();
  health.watch(watcher);
  failing(health, 1);
  failing(health, 2);
  failing(health, 3);
  assert.deepEqual(heard, [2]);
  answering(health, 2 + firstProbeMs);
  health.unwatch(watcher);
  failing(health, 20_000);
  failing(health, 20_000);
  assert.deepEqual(heard, [2]);
});

test("the cost: peaks count at once, improvements slowly, requests under way multiply it, newcomers ramp up", () => {
  const health = new MemberHealth();
  answering(health, 0, 100);
  assert.equal(health.cost(1_000), 100);
  answering(health, 1_000, 1_000);
  assert.equal(health.cost(3_000), 1_000);
  answering(health, 3_000, 500);
  assert.equal(health.cost(4_000), 900);
  const under = health.begin(4_000);
  assert.equal(health.cost(4_000), 1_800);
  health.dropped(under);
  failing(health, 5_000);
  failing(health, 5_000);
  const backAt = 5_000 + firstProbeMs;
  answering(health, backAt, 900);
  const cost = health.cost(backAt + 900);
  assert.ok(Math.abs(cost - 9_000) < 1e-6, `${cost}`);
  assert.equal(health.cost(backAt + 900 + healthRules.rampMs), 900);
});

test("an outage of 60 s, asked every 4 s: few requests meet it, and it is back soon, with every result of the checks", () => {
  const outageMs = 60_000;
  for (const [checks, backWithinMs, max] of [
    ["truthful", 5_000, 4],
    ["lying", 15_000, 6],
    ["none", 30_000, 4],
  ] as const) {
    const health = new MemberHealth();
    let touches = 0;
    let backAt: number | null = null;
    for (let now = 0; now <= outageMs + backWithinMs && backAt === null; now += 500) {
      const well = now >= outageMs;
      const checking = now % 2_500 === 0 && checks !== "none" && health.needsCheck(now);
      if (checking) health.checked(now, well || checks === "lying");
      if (now % 4_000 !== 0 || health.availability(now).kind === "down") continue;
      if (well) {
        answering(health, now);
        backAt = now;
      } else {
        touches += 1;
        failing(health, now);
      }
    }
    assert.ok(touches <= max, `${checks}: ${touches} touched it`);
    assert.ok(backAt !== null && backAt - outageMs <= backWithinMs, `${checks}: back at ${backAt}`);
  }
});

test("a member whose keys are all refused rests until the first of them may be tried again", () => {
  const health = new MemberHealth();
  assert.equal(health.keysRefused(health.begin(0), 0, 10_000), true);
  assert.deepEqual(health.availability(1), { kind: "down", until: 10_000, why: "unauthorized" });
  assert.equal(health.keysRefused(health.begin(10_000), 10_000, 10_000), false);
  assert.equal(health.inFlight, 0);
  const down = opened();
  // As after one key: the next probe waits, also when the rest is shorter.
  down.keysRefused(down.begin(firstProbeMs), firstProbeMs, 1_000);
  const until = 2 * firstProbeMs;
  assert.deepEqual(down.availability(firstProbeMs + 1_000), { kind: "down", until, why: "open" });
});

// When a lane stops, and how it finds out that it may go on.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { Breaker, type BreakerDecision, type Health } from "#queue/breaker.ts";

const closed = () => new Breaker({ pauses: 0, pausedUntil: null });
const record = (breaker: Breaker, id: string, health: Health, now = 0) =>
  breaker.record(id, { health, reason: "because" }, now);

test("well gateways and single doubts go on", () => {
  const breaker = closed();
  assert.deepEqual(record(breaker, "a", "healthy"), { kind: "go_on" });
  assert.deepEqual(record(breaker, "b", "uncertain"), { kind: "go_on" });
  assert.deepEqual(breaker.permit(0), { kind: "all" });
});

for (const health of ["misconfigured", "unreachable"] as const) {
  test(`one ${health} pauses for 5 s`, () => {
    const breaker = closed();
    assert.deepEqual(record(breaker, "a", health, 1000), {
      kind: "pause",
      forMs: 5000,
      pauses: 1,
      reason: "because",
    });
    assert.deepEqual(breaker.permit(2000), { kind: "nothing", waitMs: 4000 });
    assert.deepEqual(breaker.permit(6000), { kind: "probe" });
  });
}

test("failed probes double the pause from 5 s to 5 min, a good one ends it and starts over", () => {
  const breaker = closed();
  let now = 0;
  const lengths: number[] = [];
  let verdict: BreakerDecision = record(breaker, "m0", "unreachable", now);
  for (let i = 1; i < 10; i++) {
    assert.equal(verdict.kind, "pause");
    if (verdict.kind !== "pause") return;
    assert.equal(verdict.pauses, i);
    lengths.push(verdict.forMs);
    now += verdict.forMs;
    assert.equal(breaker.permit(now - 1).kind, "nothing");
    assert.equal(breaker.permit(now).kind, "probe");
    breaker.beginProbe(`m${i}`);
    verdict = record(breaker, `m${i}`, "unreachable", now);
  }
  assert.deepEqual(
    lengths,
    [5, 10, 20, 40, 80, 160, 300, 300, 300].map((s) => s * 1000),
  );
  now += 300_000;
  breaker.beginProbe("good");
  assert.deepEqual(record(breaker, "good", "healthy", now), { kind: "resume" });
  assert.equal(breaker.paused, false);
  assert.equal((record(breaker, "x", "misconfigured", now) as { forMs: number }).forMs, 5000);
});

test("a late answer ends the pause that silence began, and no other one", () => {
  const breaker = closed();
  for (const id of ["a", "b"]) assert.deepEqual(record(breaker, id, "uncertain", 0), { kind: "go_on" });
  assert.equal(breaker.answered("a"), false, "nothing is paused");
  for (const id of ["c", "d"]) assert.deepEqual(record(breaker, id, "uncertain", 0), { kind: "go_on" });
  assert.equal(record(breaker, "e", "uncertain", 0).kind, "pause");
  assert.deepEqual(record(breaker, "f", "healthy", 100), { kind: "go_on" });
  breaker.beginProbe("g");
  assert.equal(record(breaker, "g", "uncertain", 5_000).kind, "pause");
  assert.equal(breaker.answered("x"), false, "another message");
  assert.equal(breaker.answered("g"), true);
  assert.deepEqual(breaker.permit(5_001), { kind: "all" });
  assert.equal(breaker.answered("g"), false);
  assert.equal(
    (record(breaker, "h", "unreachable", 6_000) as { forMs: number }).forMs,
    5_000,
    "from the start",
  );
  record(breaker, "i", "uncertain", 6_001);
  assert.equal(breaker.answered("i"), false, "it has another reason");
  assert.equal(breaker.paused, true);
});

test("silence that turns into no connection is waited for", () => {
  const breaker = closed();
  for (const id of ["a", "b", "c"]) record(breaker, id, "uncertain", 0);
  breaker.beginProbe("d");
  assert.equal(record(breaker, "d", "unreachable", 5_000).kind, "pause");
  assert.equal(breaker.answered("a"), false);
  assert.equal(breaker.paused, true);
});

test("a gateway that says how long it wants to be left alone is, also for longer than the longest pause", () => {
  const breaker = closed();
  const quarter = 900_000;
  const first = breaker.record("a", { health: "misconfigured", reason: "spam", minPauseMs: quarter }, 0);
  assert.deepEqual(first, { kind: "pause", forMs: quarter, pauses: 1, reason: "spam" });
  assert.deepEqual(breaker.record("b", { health: "misconfigured", reason: "spam", minPauseMs: quarter }, 0), {
    kind: "go_on",
  });
  assert.deepEqual(breaker.permit(quarter - 1), { kind: "nothing", waitMs: 1 });
  assert.deepEqual(breaker.permit(quarter), { kind: "probe" });
});

test("what was in flight makes a pause longer only by saying how long", () => {
  const breaker = closed();
  record(breaker, "a", "unreachable");
  assert.deepEqual(record(breaker, "b", "misconfigured"), { kind: "go_on" });
  const longer = breaker.record("c", { health: "misconfigured", reason: "locked", minPauseMs: 60_000 }, 1000);
  assert.deepEqual(longer, { kind: "pause", forMs: 60_000, pauses: 2, reason: "locked" });
  assert.deepEqual(breaker.permit(60_999), { kind: "nothing", waitMs: 1 });
});

test("only one probe goes out at a time, and one that was not stamped frees its place", () => {
  const breaker = closed();
  record(breaker, "a", "unreachable", 0);
  breaker.beginProbe("b");
  assert.deepEqual(breaker.permit(5000), { kind: "nothing", waitMs: null });
  breaker.cancelProbe("another");
  assert.deepEqual(breaker.permit(5000), { kind: "nothing", waitMs: null });
  breaker.cancelProbe("b");
  assert.deepEqual(breaker.permit(5000), { kind: "probe" });
});

test("the refused message is a suspect, so another one probes; one without an answer is not", () => {
  const breaker = closed();
  record(breaker, "a", "misconfigured");
  record(breaker, "b", "unreachable");
  assert.equal(breaker.isSuspect("a"), true);
  assert.equal(breaker.isSuspect("b"), false);
});

test("a message that is refused again after another one passed is to blame", () => {
  const breaker = closed();
  record(breaker, "poison", "misconfigured", 0);
  breaker.beginProbe("fine");
  assert.equal(record(breaker, "fine", "healthy", 5000).kind, "resume");
  assert.deepEqual(record(breaker, "poison", "misconfigured", 5000), { kind: "reject_message" });
  assert.equal(breaker.paused, false);
  assert.equal(breaker.isSuspect("poison"), false);
});

test("refused again without another having passed, it is not to blame: the gateway is", () => {
  const breaker = closed();
  record(breaker, "only", "misconfigured", 0);
  for (const [now, forMs] of [
    [5000, 10_000],
    [15_000, 20_000],
  ] as const) {
    breaker.beginProbe("only");
    const verdict = record(breaker, "only", "misconfigured", now);
    assert.equal(verdict.kind, "pause");
    assert.equal((verdict as { forMs: number }).forMs, forMs);
  }
});

test("an unreachable gateway never blames a message", () => {
  const breaker = closed();
  record(breaker, "a", "misconfigured", 0);
  breaker.beginProbe("b");
  record(breaker, "b", "healthy", 5000);
  assert.equal(record(breaker, "a", "unreachable", 5000).kind, "pause");
});

test("three doubts in a row pause; a success between them starts the count again", () => {
  const breaker = closed();
  const kinds = (["uncertain", "uncertain", "healthy", "uncertain", "uncertain", "uncertain"] as const).map(
    (health, i) => record(breaker, `m${i}`, health).kind,
  );
  assert.deepEqual(kinds, ["go_on", "go_on", "go_on", "go_on", "go_on", "pause"]);
});

test("a doubtful probe pauses longer", () => {
  const breaker = closed();
  for (const id of ["a", "b", "c"]) record(breaker, id, "uncertain");
  breaker.beginProbe("d");
  assert.equal((record(breaker, "d", "uncertain", 5000) as { forMs: number }).forMs, 10_000);
});

test("what was on the wire when the pause began neither lengthens it nor ends it", () => {
  const breaker = closed();
  record(breaker, "a", "unreachable", 0);
  for (const health of [
    "misconfigured",
    "unreachable",
    "uncertain",
    "uncertain",
    "uncertain",
    "healthy",
  ] as const) {
    assert.deepEqual(record(breaker, `late ${health}`, health, 100), { kind: "go_on" });
  }
  assert.deepEqual(breaker.permit(100), { kind: "nothing", waitMs: 4900 });
});

test("a pause that another process began is continued", () => {
  const breaker = new Breaker({ pauses: 3, pausedUntil: 700 });
  assert.deepEqual(breaker.permit(0), { kind: "nothing", waitMs: 700 });
  breaker.beginProbe("a");
  assert.equal((record(breaker, "a", "unreachable", 700) as { forMs: number }).forMs, 40_000);
});

test("the list of suspects does not grow without end", () => {
  const breaker = closed();
  for (let i = 0; i < 1500; i++) record(breaker, `m${i}`, "misconfigured");
  assert.equal(breaker.isSuspect("m0"), false);
  assert.equal(breaker.isSuspect("m500"), true);
  assert.equal(breaker.isSuspect("m1499"), true);
});

const unclear = (breaker: Breaker, id: string, { now = 0, recipient = id } = {}) =>
  breaker.record(id, { health: "unclear", reason: "E77", recipient }, now).kind;

/** The decisions on so many messages, to one recipient each. */
const unclearOnes = (breaker: Breaker, count: number, name = "m") =>
  Array.from({ length: count }, (_, i) => unclear(breaker, `${name}${i}`));

test("unclear refusals of messages to five recipients in a row pause; the fifth and what is in flight wait", () => {
  const breaker = closed();
  assert.deepEqual(unclearOnes(breaker, 8), [
    ...Array(4).fill("reject_message"),
    "pause",
    ...Array(3).fill("go_on"),
  ]);
  assert.equal(breaker.isSuspect("m3"), false, "it is settled");
  assert.equal(breaker.isSuspect("m7"), true);
});

test("the same recipient again does not count, and an accepted message starts the count again", () => {
  const breaker = closed();
  const again = Array.from({ length: 9 }, (_, i) => unclear(breaker, `again${i}`, { recipient: "one" }));
  assert.deepEqual(again, Array(9).fill("reject_message"));
  assert.deepEqual(unclearOnes(breaker, 3), Array(3).fill("reject_message"));
  record(breaker, "fine", "healthy");
  assert.deepEqual(unclearOnes(breaker, 5, "n"), [...Array(4).fill("reject_message"), "pause"]);
});

test("refusals that are about the message do not start the count again", () => {
  const breaker = closed();
  unclearOnes(breaker, 4);
  record(breaker, "dead number", "answering");
  assert.equal(unclear(breaker, "fifth"), "pause");
});

test("a probe that is refused so keeps the lane paused and waits, with every reason of the pause", () => {
  const breaker = closed();
  record(breaker, "a", "unreachable", 0);
  for (const [now, forMs, pauses] of [
    [5_000, 10_000, 2],
    [15_000, 20_000, 3],
  ] as const) {
    breaker.beginProbe(`probe${now}`);
    const decision = breaker.record(`probe${now}`, { health: "unclear", reason: "E77" }, now);
    assert.deepEqual(decision, { kind: "pause", forMs, pauses, reason: "E77" });
    assert.equal(breaker.isSuspect(`probe${now}`), true);
  }
});

test("without an accepted message no more are lost, however often the lane resumes", () => {
  const breaker = closed();
  unclearOnes(breaker, 6);
  // A probe to a dead number is no proof that the settings are right, nor is a new connection.
  breaker.beginProbe("dead number");
  assert.equal(record(breaker, "dead number", "answering", 5_000).kind, "resume");
  assert.equal(unclear(breaker, "m4", { now: 5_000 }), "pause");
  breaker.close();
  assert.equal(unclear(breaker, "m5", { now: 6_000 }), "pause");
});

test("messages that are refused again after the gateway took another one are at fault, however many", () => {
  const breaker = closed();
  unclearOnes(breaker, 12);
  breaker.beginProbe("fine");
  assert.equal(record(breaker, "fine", "healthy", 20_000).kind, "resume");
  for (let i = 4; i < 12; i++) assert.equal(unclear(breaker, `m${i}`, { now: 20_000 }), "reject_message");
  assert.equal(breaker.paused, false);
});

/** The rules once more, told differently: a plain record of what happened, asked from scratch each time. */
interface Model {
  open: boolean;
  until: number;
  failures: number;
  doubts: number;
  probe: string | null;
  passes: number;
  refusedAt: Map<string, number>;
  /** What happened, for unclear refusals: `+` is an accepted message, an id one that was refused. */
  story: string[];
  /** At which place of the story a message was refused and had to wait. */
  waitedAt: Map<string, number>;
}

function expected(model: Model, id: string, health: Health, now: number): string {
  const probing = model.probe === id;
  if (probing) model.probe = null;
  const pause = () => {
    const forMs = Math.min(5000 * 2 ** model.failures, 300_000);
    Object.assign(model, { open: false, until: now + forMs, failures: model.failures + 1, doubts: 0 });
    return `pause ${forMs}`;
  };
  if (health === "healthy") model.story.push("+");
  if (health === "healthy" || health === "answering") {
    model.passes += 1;
    model.doubts = 0;
    model.refusedAt.delete(id);
    model.waitedAt.delete(id);
    if (!probing || model.open) return "go_on";
    Object.assign(model, { open: true, failures: 0 });
    return "resume";
  }
  if (health === "uncertain") {
    model.doubts += 1;
    return probing || (model.open && model.doubts >= 3) ? pause() : "go_on";
  }
  if (health === "unclear") {
    model.doubts = 0;
    const again = model.story.indexOf("+", model.waitedAt.get(id) ?? Number.POSITIVE_INFINITY) >= 0;
    if (!again) model.story.push(id);
    const row = new Set(model.story.slice(model.story.lastIndexOf("+") + 1));
    model.refusedAt.delete(id);
    model.waitedAt.delete(id);
    if ((again || row.size < 5) && model.open && !probing) return "reject_message";
    model.refusedAt.set(id, model.passes);
    model.waitedAt.set(id, model.story.length);
  }
  if (health === "misconfigured") {
    const before = model.refusedAt.get(id);
    model.refusedAt.delete(id);
    model.waitedAt.delete(id);
    if (before !== undefined && model.open && model.passes > before) return "reject_message";
    model.refusedAt.set(id, model.passes);
    model.waitedAt.set(id, model.story.length);
  }
  return model.open || probing ? pause() : "go_on";
}

test("agrees with a model over random histories", () => {
  const action = fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    health: fc.constantFrom<Health>(
      "healthy",
      "answering",
      "unclear",
      "unclear",
      "uncertain",
      "misconfigured",
      "unreachable",
    ),
    afterMs: fc.constantFrom(0, 1, 4999, 5000, 300_000),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const breaker = closed();
      const model: Model = {
        open: true,
        until: 0,
        failures: 0,
        doubts: 0,
        probe: null,
        passes: 0,
        refusedAt: new Map(),
        story: [],
        waitedAt: new Map(),
      };
      let now = 0;
      for (const { id, health, afterMs } of actions) {
        now += afterMs;
        const gate = breaker.permit(now);
        const foreseen = model.open
          ? "all"
          : model.probe === null && model.until <= now
            ? "probe"
            : "nothing";
        assert.equal(gate.kind, foreseen);
        if (gate.kind === "probe") {
          breaker.beginProbe(id);
          model.probe = id;
        }
        const verdict = breaker.record(id, { health, reason: "" }, now);
        const actual = verdict.kind === "pause" ? `pause ${verdict.forMs}` : verdict.kind;
        assert.equal(actual, expected(model, id, health, now));
        assert.equal(breaker.paused, !model.open);
      }
    }),
    { numRuns: 1000, seed: 13 },
  );
});

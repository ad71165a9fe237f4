// Messages of several parts are joined in any order, across sessions, kept apart when they share a reference, and delivered
// incomplete after an hour.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { JoiningMessages, overlapMs } from "#gateways/sms/smpp/joining.ts";

const hour = 3_600_000;
const part = (text: string, from = "+491") => ({ from, to: "4915", text });
const place = (number: number, total = 3, reference = 7) => ({ reference, total, number });
const empty = () => JoiningMessages.load(new Map());
const texts = (messages: readonly { text: string }[]) => messages.map(({ text }) => text);

/** A session that keeps its state, and may be replaced by the next one. */
function sessions() {
  const state = new Map<string, string>();
  const delivered: string[] = [];
  const references = new Set<string>();
  let joining = empty();
  const deliver = (messages: ReturnType<JoiningMessages["overdue"]>) => {
    for (const { text, reference, keys } of messages) {
      delivered.push(text);
      references.add(reference);
      for (const key of keys) state.delete(key);
    }
  };
  return {
    state,
    delivered,
    references,
    add: (text: string, number: number, { at = 1, total = 2 } = {}) => {
      const { joined, stored } = joining.add(part(text), place(number, total), at);
      if (stored) state.set(...stored);
      deliver(joined);
    },
    wait: (now: number) => deliver(joining.overdue(now)),
    restart: () => {
      joining = JoiningMessages.load(new Map([...state].reverse()));
    },
  };
}

test("parts in any order, each of them twice, are one message", async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([1, 2, 3, 1, 2, 3], { minLength: 6 }), async (order) => {
      const joining = empty();
      const joined = order.flatMap(
        (number) => joining.add(part(`<${number}>`), place(number), 1).joined ?? [],
      );
      assert.deepEqual(texts(joined), ["<1><2><3>"]);
    }),
  );
});

test("what was stored is joined by the next session, and removed afterwards", async () => {
  const { add, restart, state, delivered } = sessions();
  for (const number of [3, 1]) add(`<${number}>`, number, { total: 3 });
  assert.equal(state.size, 2);
  restart();
  add("<2>", 2, { total: 3, at: 9 });
  assert.deepEqual([delivered, state.size], [["<1><2><3>"], 0]);
});

test("parts that an older release stored are joined", async () => {
  const old = empty().add(part("a"), place(1, 2), 5).stored;
  assert.ok(old);
  const group = old[0].slice(0, old[0].indexOf("/"));
  const { order: _order, ...stored } = JSON.parse(old[1]) as { order: number };
  const joining = JoiningMessages.load(new Map([[`${group}/1`, JSON.stringify(stored)]]));
  const [joined] = joining.add(part("b"), place(2, 2), 9).joined;
  assert.equal(joined?.text, "ab");
  assert.ok(joined.keys.includes(`${group}/1`));
});

test("people and references are kept apart", async () => {
  const joining = empty();
  joining.add(part("a"), place(1, 2), 1);
  assert.deepEqual(joining.add(part("b", "+492"), place(2, 2), 1).joined, []);
  assert.deepEqual(joining.add(part("b"), place(2, 2, 8), 1).joined, []);
  assert.deepEqual(texts(joining.add(part("b"), place(2, 2), 1).joined), ["ab"]);
});

test("several messages under one reference are not mixed, with a restart at any place", () => {
  const quiet = 1 + overlapMs;
  const cases: [name: string, parts: string, delivered: string[]][] = [
    ["one lacks its second part", "A1 B1 B2", ["A1[part 2 of 2 is missing]", "B1B2"]],
    ["one lacks its first part, the parts in disorder", "A2 B2 B1", ["[part 1 of 2 is missing]A2", "B1B2"]],
    ["interleaved", "A1 B1 A2 B2", ["A1A2", "B1B2"]],
    ["interleaved, second parts first", "A2 B2 A1 B1", ["A1A2", "B1B2"]],
    ["interleaved, and parts repeated", "A1 B1 A1 A2 B1 A2 B2 B2", ["A1A2", "B1B2"]],
    ["three at once", "A1 B1 C1 A2 B2 C2", ["A1A2", "B1B2", "C1C2"]],
    ["the first of three lacks a part", "A1 B1 B2 C1 C2", ["A1[part 2 of 2 is missing]", "B1B2", "C1C2"]],
    ["one after the other", "A1 A2 B2 B1", ["A1A2", "B1B2"]],
    ["repeated when it is complete", "A1 A2 A1 A2", ["A1A2"]],
  ];
  for (const [name, written, expected] of cases) {
    const parts = written.split(" ");
    for (let restartAt = 0; restartAt <= parts.length; restartAt += 1) {
      const session = sessions();
      for (const [index, text] of parts.entries()) {
        // What was joined before is not remembered across sessions: the SMSC had its answer.
        if (index === restartAt && !name.includes("repeated")) session.restart();
        session.add(text, Number(text[1]));
      }
      session.wait(quiet - 1);
      const early = [...session.delivered];
      session.wait(quiet);
      assert.deepEqual(session.delivered, expected, `${name}, restart at ${restartAt}`);
      if (expected.some((text) => text.includes("missing")))
        assert.deepEqual(early, [], `${name}: waits for other parts`);
      assert.equal(session.state.size, 0, name);
      assert.equal(session.references.size, expected.length, name);
    }
  }
});

test("a part that may yet come is awaited, and an old reference ends after an hour", () => {
  const session = sessions();
  session.add("A1", 1, { total: 3, at: 0 });
  session.add("B1", 1, { total: 3, at: 10 });
  session.add("A2", 2, { total: 3, at: 20 });
  session.wait(20 + overlapMs);
  assert.deepEqual(session.delivered, [], "neither is whole");
  session.add("B2", 2, { total: 3, at: hour - 1 });
  session.add("B3", 3, { total: 3, at: hour });
  assert.deepEqual(session.delivered, ["A1A2[part 3 of 3 is missing]", "B1B2B3"]);
  // The same text an hour later is not a repeat.
  for (const at of [hour + 9, 3 * hour])
    for (const number of [1, 2, 3]) session.add(`B${number}`, number, { total: 3, at });
  assert.deepEqual(session.delivered.slice(1), ["B1B2B3", "B1B2B3"]);
});

test("after an hour what is there goes, and says what is missing; the same reference serves again", async () => {
  const joining = empty();
  joining.add(part("a"), place(1), 0);
  joining.add(part("c"), place(3), 10);
  assert.deepEqual(joining.overdue(hour - 1), []);
  const [late] = joining.overdue(hour);
  assert.equal(late?.text, "a[part 2 of 3 is missing]c");
  assert.equal(late.keys.length, 2);
  assert.deepEqual(joining.overdue(2 * hour), []);
  joining.add(part("x"), place(1, 2), 2 * hour);
  assert.deepEqual(texts(joining.add(part("y"), place(2, 2), 2 * hour).joined), ["xy"]);
});

test("a sender of parts without end fills nothing: the oldest messages go first", async () => {
  const joining = empty();
  for (let reference = 0; reference < 6_000; reference += 1)
    joining.add(part("a"), place(1, 2, reference), reference);
  assert.equal(joining.overdue(6_000).length, 1_000);
  assert.deepEqual(joining.overdue(6_000), []);
  const ofOne = Array.from(
    { length: 40 },
    (_, number) => joining.add(part(`a${number}`), place(1, 2, 9_000), 1).joined,
  );
  assert.deepEqual(texts(ofOne.flat()).slice(0, 2), [
    "a0[part 2 of 2 is missing]",
    "a1[part 2 of 2 is missing]",
  ]);
  assert.equal(ofOne.flat().length, 24);
});

// Messages of several parts are joined in any order, across sessions, and delivered incomplete after a day.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { JoiningMessages } from "#gateways/sms/smpp/joining.ts";

const day = 86_400_000;
const part = (text: string, from = "+491") => ({ from, to: "4915", text });
const place = (number: number, total = 3, reference = 7) => ({ reference, total, number });
const empty = () => JoiningMessages.load(new Map());

test("parts in any order, each of them twice, are one message", async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([1, 2, 3, 1, 2, 3], { minLength: 6 }), async (order) => {
      const joining = empty();
      const joined: string[] = [];
      for (const number of order) {
        const taken = joining.add(part(`<${number}>`), place(number), 1);
        if (!taken.joined) continue;
        joined.push(taken.joined.text);
        joining.forget(taken.joined);
      }
      assert.deepEqual(joined, ["<1><2><3>"]);
    }),
  );
});

test("what was stored is joined by the next session, and removed afterwards", async () => {
  const state = new Map<string, string>();
  const first = empty();
  for (const number of [3, 1]) {
    const { stored } = first.add(part(`<${number}>`), place(number), 5);
    assert.ok(stored);
    state.set(...stored);
  }
  const next = JoiningMessages.load(state);
  const { joined } = next.add(part("<2>"), place(2), 9);
  assert.equal(joined?.text, "<1><2><3>");
  assert.deepEqual(
    new Set(next.forget(joined)),
    new Set([...state.keys(), joined && [...state.keys()][0]?.replace(/\d$/, "2")]),
  );
});

test("people and references are kept apart", async () => {
  const joining = empty();
  joining.add(part("a"), place(1, 2), 1);
  assert.equal(joining.add(part("b", "+492"), place(2, 2), 1).joined, undefined);
  assert.equal(joining.add(part("b"), place(2, 2, 8), 1).joined, undefined);
  assert.equal(joining.add(part("b"), place(2, 2), 1).joined?.text, "ab");
});

test("after a day what is there goes, and says what is missing; the same reference serves again", async () => {
  const joining = empty();
  joining.add(part("a"), place(1), 0);
  joining.add(part("c"), place(3), 10);
  assert.deepEqual(joining.overdue(day - 1), []);
  const [late] = joining.overdue(day);
  assert.equal(late?.text, "a[part 2 of 3 is missing]c");
  assert.ok(late);
  assert.equal(joining.forget(late).length, 2);
  assert.deepEqual(joining.overdue(2 * day), []);
  joining.add(part("x"), place(1, 2), 2 * day);
  const again = joining.add(part("y"), place(2, 2), 2 * day).joined;
  assert.equal(again?.text, "xy");
});

test("a sender of parts without end fills nothing: the oldest messages go first", async () => {
  const joining = empty();
  for (let reference = 0; reference < 6_000; reference += 1)
    joining.add(part("a"), place(1, 2, reference), reference);
  const overdue = joining.overdue(6_000);
  assert.equal(overdue.length, 1_000);
  for (const message of overdue) joining.forget(message);
  assert.deepEqual(joining.overdue(6_000), []);
});

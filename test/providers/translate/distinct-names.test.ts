// Names that may be equal become distinct, with work that grows as their number does.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DistinctNames } from "#providers/translate/distinct-names.ts";
import { lookupsIn } from "../lookups.ts";

test("the first has its own name, the others a number, also beside one who has that name already", () => {
  const names = new DistinctNames(" ");
  const asked = ["a", "a", "a 3", "a", "b", "a 3", "a"];
  assert.deepEqual(
    asked.map((stem) => names.of(stem)),
    ["a", "a 2", "a 3", "a 4", "b", "a 3 2", "a 5"],
  );
});

test("names are distinct, and begin with their stem", () => {
  const stems = fc.array(fc.constantFrom("a", "a_2", "a_2_2", "a_3", "b", "2", ""), { maxLength: 40 });
  fc.assert(
    fc.property(stems, (asked) => {
      const names = new DistinctNames("_");
      const made = asked.map((stem) => names.of(stem));
      assert.equal(new Set(made).size, asked.length);
      for (const [at, stem] of asked.entries()) assert.ok(made[at]?.startsWith(stem));
    }),
  );
});

test("a thousand equal names cost a thousand times what one costs, also where their numbers are taken", () => {
  const numbered = Array.from({ length: 1_000 }, (_, n) => `a ${n + 2}`);
  const equal = Array.from({ length: 1_000 }, () => "a");
  for (const [asked, maxLookups] of [
    [equal, 3_000],
    [[...numbered, ...equal], 8_000],
  ] as const) {
    const names = new DistinctNames(" ");
    const looked = lookupsIn(() => {
      for (const stem of asked) names.of(stem);
    });
    assert.ok(looked <= maxLookups, `${looked}`);
  }
});

test("where case does not count, no two names differ in it alone", () => {
  const stems = fc.array(fc.constantFrom("a", "A", "a 2", "A 2", "b"), { maxLength: 40 });
  fc.assert(
    fc.property(stems, (asked) => {
      const names = new DistinctNames(" ", { ignoresCase: true });
      const made = asked.map((stem) => names.of(stem).toLowerCase());
      assert.equal(new Set(made).size, asked.length);
    }),
  );
});

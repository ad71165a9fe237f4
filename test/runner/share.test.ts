// Shares of exhaustive loops: a third each, all of it over the seeds, and everything when the change is about it.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { changedVariable, choiceOf, seedVariable, share } from "./share.ts";

const seeds = Array.from({ length: 200 }, (_, index) => `seed ${index}`);

test("every item is in the share of some seed, and no share is empty or more than a third, rounded up", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 30 }), fc.string(), (items, loop) => {
      const shares = seeds.map((seed) => share(loop, ["src/"], items, { seed, changed: ["docs/x.md"] }));
      assert.deepEqual(new Set(shares.flat()), new Set(items));
      for (const chosen of shares) {
        assert.ok(chosen.length >= 1 && chosen.length <= Math.ceil(items.length / 3));
        assert.deepEqual(
          chosen,
          items.filter((item) => chosen.includes(item)),
        );
      }
    }),
    { numRuns: 30 },
  );
});

test("a change of what a loop is about plays all of it", () => {
  const items = [1, 2, 3, 4, 5, 6];
  const played = (...changed: string[]) =>
    share("loop", ["src/http/", "test/attacks/"], items, { seed: "s", changed });
  assert.deepEqual(played("docs/a.md", "src/http/app.ts"), items);
  assert.deepEqual(played("test/attacks/keys.ts"), items);
  assert.deepEqual(played("*"), items);
  assert.equal(played("src/ai/ai.ts").length, 2);
  assert.equal(played().length, 2);
});

test("without the runner everything is played", () => {
  assert.deepEqual(choiceOf({}).changed, ["*"]);
  assert.deepEqual(choiceOf({ [seedVariable]: "abc", [changedVariable]: "a\nb\n" }), {
    seed: "abc",
    changed: ["a", "b"],
  });
});

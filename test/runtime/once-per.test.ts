// Values computed once per object.

import assert from "node:assert/strict";
import { test } from "node:test";
import { oncePer } from "#runtime/once-per.ts";

test("each object has a value of its own, which is computed once, null and undefined too", () => {
  for (const made of [(name: string) => `of ${name}`, () => null, () => undefined]) {
    const asked: string[] = [];
    const value = oncePer(({ name }: { name: string }) => {
      asked.push(name);
      return made(name);
    });
    const [first, second] = [{ name: "first" }, { name: "second" }];
    assert.deepEqual([first, second, first, second].map(value), [
      made("first"),
      made("second"),
      made("first"),
      made("second"),
    ]);
    assert.deepEqual(asked, ["first", "second"]);
  }
});

test("a value that could not be computed is computed again", () => {
  let failures = 1;
  const value = oncePer((key: { size: number }) => {
    if (failures-- > 0) throw new Error("Not yet.");
    return key.size;
  });
  const key = { size: 3 };
  assert.throws(() => value(key), /Not yet/);
  assert.equal(value(key), 3);
});

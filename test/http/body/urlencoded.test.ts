// Form text, against the platform's own parser where that is strict enough to compare with.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { readUrlencoded } from "#http/body/urlencoded.ts";

const cases: [text: string, expected: [string, string][] | "malformed"][] = [
  ["", []],
  ["&&", []],
  ["a", [["a", ""]]],
  ["a=", [["a", ""]]],
  ["=a", [["", "a"]]],
  [
    "a=1&b=2=3",
    [
      ["a", "1"],
      ["b", "2=3"],
    ],
  ],
  ["a+b=%2B+%20", [["a b", "+  "]]],
  ["contact%5B0%5D%5Bnumber%5D=1", [["contact[0][number]", "1"]]],
  ["a=100%", [["a", "100%"]]],
  ["a=%zz%C3%BC", [["a", "%zzü"]]],
  ["a=ü😀", [["a", "ü😀"]]],
  ["a=%F0%9F%98%80", [["a", "😀"]]],
  ["a=%00", [["a", "\0"]]],
  ["a=%FF", "malformed"],
  ["a=%ED%A0%80", "malformed"],
  ["%C3=1", "malformed"],
];
for (const [text, expected] of cases) {
  test(`${JSON.stringify(text)}`, () => {
    const read = readUrlencoded(Buffer.from(text), 10);
    assert.deepEqual(read.kind === "pairs" ? read.pairs : read.kind, expected);
  });
}

test("bytes that are not UTF-8 are refused", () => {
  assert.equal(readUrlencoded(Buffer.from([0x61, 0x3d, 0xff]), 10).kind, "malformed");
});

test("fields are counted", () => {
  assert.equal(readUrlencoded(Buffer.from("a&b&c"), 3).kind, "pairs");
  assert.equal(readUrlencoded(Buffer.from("a&b&c&d"), 3).kind, "too_many");
});

test("the work is linear in the length, also where a pair has no value", () => {
  // 60,000 pairs before 32 MiB without `=`: a search of each to the body's end takes 48 s, one search 10 ms.
  const body = Buffer.from(`${"a&".repeat(60_000)}${"b".repeat(32 * 1024 * 1024)}`);
  const started = performance.now();
  const read = readUrlencoded(body, 70_000);
  assert.ok(performance.now() - started < 2_000);
  assert.equal(read.kind === "pairs" && read.pairs.length, 60_001);
});

test("percent signs that begin no code stand for themselves, at the end too", () => {
  for (const [text, expected] of [
    ["%", "%"],
    ["%4", "%4"],
    ["%4g%41", "%4gA"],
    ["%%41", "%A"],
    ["%zz%e2%82%AC", "%zz€"],
  ] as const) {
    const read = readUrlencoded(Buffer.from(text), 1);
    assert.deepEqual(read.kind === "pairs" && read.pairs, [[expected, ""]]);
  }
});

test("reads what the platform writes", () => {
  const text = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 8 }), (pairs) => {
      const body = Buffer.from(new URLSearchParams(pairs).toString());
      const read = readUrlencoded(body, 100);
      assert.deepEqual(read.kind === "pairs" && read.pairs, pairs);
    }),
  );
});

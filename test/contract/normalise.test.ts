// Trimming against the pattern it stands for (Laravel's, written as a regular expression), and what counts as
// sendable and too long.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { exceeds, isSendable, trimmed, trimOrNull } from "#contract/normalise.ts";

// PCRE's `\s` with Unicode properties, and what Laravel adds to it.
const blank =
  "\\t-\\r \\0\\u0085\\u00a0\\u1680\\u180e\\u2000-\\u200b\\u200e\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";
const ends = new RegExp(`^[${blank}]+|[${blank}]+$`, "g");

test("trims what Laravel trims, for every UTF-16 unit", () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    const character = String.fromCharCode(unit);
    const text = `${character}x${character}`;
    assert.equal(trimmed(text), text.replace(ends, ""), `U+${unit.toString(16)}`);
  }
});

test("trims only the ends", () => {
  const unit = fc.constantFrom("a", " ", "\n", "\u200b", "\u00a0", "é", "😀", "\0", "\t");
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = units.join("");
      assert.equal(trimmed(text), text.replace(ends, ""));
    }),
  );
});

test("a text that is all blanks but for its first character is done at once", () => {
  // The regular expression above would take minutes for this one.
  const text = `a${" ".repeat(1_000_000)}b`;
  assert.equal(trimmed(text), text);
});

const normalisedTo: [input: unknown, expected: unknown][] = [
  ["", null],
  ["  \n", null],
  ["\u200b", null],
  [" a b ", "a b"],
  [undefined, null],
  [null, null],
  [0, 0],
  [false, false],
];
for (const [input, expected] of normalisedTo) {
  test(`${JSON.stringify(input)} is ${JSON.stringify(expected)} before the rules`, () => {
    assert.equal(trimOrNull(input), expected);
  });
}

test("what is no text is passed on untouched", () => {
  const list = [" "];
  assert.equal(trimOrNull(list), list);
});

const sendable: [text: string, expected: boolean][] = [
  ["", true],
  ["a\nb", true],
  ["a\0b", false],
  ["😀", true],
  ["\ud83d", false],
  ["a\ude00", false],
  ["\ude00\ud83d", false],
];
for (const [text, expected] of sendable) {
  test(`${JSON.stringify(text)} can${expected ? "" : "not"} be sent`, () => {
    assert.equal(isSendable(text), expected);
  });
}

test("lengths count code points", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.nat(40), (text, max) => {
      assert.equal(exceeds(text, max), [...text].length > max);
    }),
  );
  assert.equal(exceeds("😀".repeat(65_536), 65_536), false);
  assert.equal(exceeds(`${"😀".repeat(65_536)}a`, 65_536), true);
  // Halves of pairs count one each.
  assert.equal(exceeds("\ud83d\ud83d\ude00", 2), false);
  assert.equal(exceeds("\ud83d\ud83d\ude00", 1), true);
});

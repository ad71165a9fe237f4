// What may be a name, and what text for people may hold.

import assert from "node:assert/strict";
import test from "node:test";
import { freeText, isName, nameText } from "#contract/name.ts";

const directions = ["\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e"];
const isolates = ["\u2066", "\u2067", "\u2068", "\u2069"];
const controls = ["\0", "\n", "\r", "\t", "\u001b", "\u007f", "\u0085", "\u009f", "\u2028", "\u2029"];
const halves = ["\ud800", "\udc00"];

test("names of all scripts, with joiners and emoji, are names", () => {
  for (const name of [
    "Acme",
    "Müller & Söhne",
    "北京",
    "עברית",
    "شركة",
    "می‌خواهم",
    "👩‍💻 team",
    "O’Neill",
    "a b",
  ]) {
    assert.ok(isName(name), name);
    assert.ok(nameText(1, 100).safeParse(name).success, name);
  }
});

test("a name that must be there is not blank", () => {
  for (const blank of [" ", "   ", "\u00a0", "\u3000\u2003"]) {
    const { error } = nameText(1, 100).safeParse(blank);
    assert.deepEqual(
      error?.issues.map(({ message }) => message),
      ["must not be empty"],
    );
    assert.ok(nameText(0, 100).safeParse(blank).success);
  }
});

test("controls, direction characters and halves of characters make no name, wherever they stand", () => {
  for (const character of [...directions, ...isolates, ...controls, ...halves]) {
    for (const name of [character, `${character}a`, `a${character}b`, `a${character}`]) {
      assert.equal(isName(name), false, JSON.stringify(name));
      assert.equal(nameText(1, 100).safeParse(name).success, false, JSON.stringify(name));
    }
  }
});

test("text for people may have lines and directions, but nothing that cannot be stored", () => {
  for (const character of [...directions, ...isolates, "\n", "\t"])
    assert.ok(freeText(0, 100).safeParse(`a${character}b`).success, JSON.stringify(character));
  for (const character of ["\0", ...halves])
    assert.equal(freeText(0, 100).safeParse(`a${character}b`).success, false, JSON.stringify(character));
});

test("both have lengths", () => {
  for (const text of [nameText(1, 3), freeText(1, 3)])
    for (const wrong of ["", "abcd"]) assert.equal(text.safeParse(wrong).success, false);
});

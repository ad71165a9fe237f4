// Names that are almost another service's.

import assert from "node:assert/strict";
import test from "node:test";
import { spellingOf } from "#contract/spelling.ts";

const known = ["SendAt", "MediaUrl", "reply_to", "to"];
const names: [name: string, meant: string | null][] = [
  ["SendAt", null],
  ["sendAt", "SendAt"],
  ["send_at", "SendAt"],
  ["SENDAT", "SendAt"],
  ["MediaUrl[0]", "MediaUrl"],
  ["MediaUrl[]", "MediaUrl"],
  ["MediaUrl0", "MediaUrl"],
  ["Reply-To", "reply_to"],
  ["To", "to"],
  ["too", null],
  ["SendAtOnce", null],
  ["", null],
  ["__proto__", null],
];
for (const [name, meant] of names)
  test(`${name} is meant to be ${meant}`, () => {
    assert.equal(spellingOf(known)(name), meant);
  });

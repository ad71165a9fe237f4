// The opt-out and opt-in words: the whole trimmed body, in any case, and nothing else.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { consentKeyword } from "#contract/messages/consent.ts";

const out = [
  "STOP",
  "STOPALL",
  "UNSUBSCRIBE",
  "CANCEL",
  "END",
  "QUIT",
  "REVOKE",
  "OPTOUT",
  "OPT OUT",
  "OPT-OUT",
];
const back = ["START", "UNSTOP"];

test("each word counts in any case, with blanks around it and punctuation behind it", () => {
  for (const [words, opt] of [
    [out, "out"],
    [back, "in"],
  ] as const) {
    for (const word of words) {
      const spellings = [word, word.toLowerCase(), word[0] + word.slice(1).toLowerCase()];
      for (const spelling of spellings)
        for (const body of [
          spelling,
          ` ${spelling}\n`,
          `\u00a0\t${spelling}\u200b`,
          `${spelling}.`,
          `${spelling}!!`,
        ])
          assert.equal(consentKeyword(body), opt, JSON.stringify(body));
    }
  }
});

test("a word inside a sentence, with signs, doubled or of another script is a message like any other", () => {
  const others = [
    "",
    " ",
    "Please stop",
    "STOP?",
    "STOP....",
    "STOP .",
    "OPT  OUT",
    "stop it",
    "STOP STOP",
    "STOP\nSTOP",
    "YES",
    "HELP",
  ];
  // A long s, a Kelvin sign and a dotless i fold to Latin letters in some comparisons.
  for (const body of [...others, "\u017fTOP", "REVO\u212aE", "QU\u0131T", "ＳＴＯＰ", "START now"])
    assert.equal(consentKeyword(body), null, JSON.stringify(body));
});

test("text other than blanks around a word and punctuation behind it makes it no keyword", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...out, ...back),
      fc.string({ minLength: 1 }).filter((text) => /[!-~]/.test(text)),
      fc.boolean(),
      (word, more, before) => {
        const body = before ? `${more}${word}` : `${word}${more}`;
        const text = body.trim().replace(/(?<![.!,;])[.!,;]{1,3}$/, "");
        const whole = [...out, ...back].includes(text.toUpperCase());
        assert.equal(consentKeyword(body) !== null, whole);
      },
    ),
    { numRuns: 500 },
  );
});

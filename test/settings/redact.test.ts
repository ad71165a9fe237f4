// Text from outside, before it is shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanText, oneLine, withoutControls, withoutSecrets } from "#settings/redact.ts";

test("text becomes one line, without what steers a terminal or turns the direction of reading", () => {
  assert.equal(oneLine(" a\r\n\tb\u2028c\u001b[31md\u202ee\u200b "), "a b c [31md e");
  assert.equal(oneLine("half \ud83d"), "half \ufffd");
});

test("a secret is found as it is and as URLs, forms and JSON spell it, in any case", () => {
  const secret = 'a b+/"ö';
  for (const shown of [
    secret,
    secret.toUpperCase(),
    encodeURIComponent(secret),
    "a+b%2B%2F%22%C3%B6",
    'a b+/\\"ö',
    'a b+/\\\\\\"ö',
  ])
    assert.equal(withoutSecrets(`<${shown}>`, [secret]), "<***>", shown);
});

test("of two secrets the longer one goes first; one of three characters stays", () => {
  assert.equal(withoutSecrets("key abcdef abcd abc", ["abcd", "abcdef", "abc"]), "key *** *** abc");
  assert.equal(withoutSecrets("nothing to hide", []), "nothing to hide");
});

test("text from outside becomes one clean line, cut between characters", () => {
  assert.equal(cleanText("a\r\n\tb\u0000\u202ec\ud800", []), "a b c\ufffd");
  assert.equal(cleanText("🎉".repeat(300), []), `${"🎉".repeat(199)}…`);
  assert.equal(cleanText("x".repeat(200), []), "x".repeat(200));
});

test("secrets are masked in every spelling, and before the text is cut", () => {
  const secret = 'p/ss "w\u00f6rd"';
  for (const spelling of [
    secret,
    encodeURIComponent(secret),
    'p/ss \\"w\u00f6rd\\"',
    "p%2Fss+%22w%C3%B6rd%22",
    secret.toUpperCase(),
  ]) {
    assert.equal(cleanText(`key ${spelling} is wrong`, [secret]), "key *** is wrong", spelling);
  }
  assert.equal(cleanText(`${"-".repeat(196)}topsecret`, ["topsecret"]), `${"-".repeat(196)}***`);
  assert.equal(cleanText("abcdef", ["abc", "", "abcde"]), "***f", "the longest first; tiny ones are left");
  assert.equal(cleanText("a.c+ axc+", ["a.c+"]), "*** axc+", "a secret is no pattern");
});

test("of a very long text the beginning is read, and no half of a secret is shown", () => {
  const secret = "s".repeat(40);
  const read = 64 * 1024;
  assert.equal(cleanText(`${"a ".repeat(1_000_000)}`, [secret]).length, 200);
  for (const blanks of [read - 20, read - 39, read - 40]) {
    assert.equal(
      cleanText(`${" ".repeat(blanks)}${secret}${"x".repeat(read)}`, [secret]).includes("s"),
      false,
    );
  }
  assert.equal(cleanText(`no: ${" ".repeat(read - 100)}${secret}`, [secret]), "no: ***");
});

test("a stored text has no control characters and no half of a pair, also where it is cut", () => {
  for (const [text, maxLength, stored] of [
    ["a\u0000b\r\n\u009fc", 99, "a b c"],
    ["\ud800", 99, ""],
    ["x\ude00y", 99, "x y"],
    ["one\u200dtwo", 99, "one\u200dtwo"],
    ["abc  def", 4, "abc"],
    ["ab\u{1f600}", 3, "ab\ufffd"],
  ] as const) {
    assert.equal(withoutControls(text, maxLength), stored);
  }
});

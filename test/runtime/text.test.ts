// Text from outside, before it is shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { oneLine, withoutSecrets } from "#runtime/text.ts";

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
  ])
    assert.equal(withoutSecrets(`<${shown}>`, [secret]), "<***>", shown);
});

test("of two secrets the longer one goes first; one of three characters stays", () => {
  assert.equal(withoutSecrets("key abcdef abcd abc", ["abcd", "abcdef", "abc"]), "key *** *** abc");
  assert.equal(withoutSecrets("nothing to hide", []), "nothing to hide");
});

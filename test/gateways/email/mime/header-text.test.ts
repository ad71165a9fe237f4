// Header fields: folded where they may be, encoded where they must be, and never more than one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readMailboxes } from "#gateways/email/mail-text/mailboxes.ts";
import { mailboxesField, mailboxField, parameter, textField } from "#gateways/email/mime/header-text.ts";

test("plain text stays as it is, folded before a word that does not fit", () => {
  assert.equal(textField("Subject", "Hello there"), "Subject: Hello there\r\n");
  assert.equal(textField("Subject", ""), "Subject:\r\n");
  const long = Array.from({ length: 30 }, (_, index) => `word${index}`).join(" ");
  const field = textField("Subject", long);
  for (const line of field.trimEnd().split("\r\n")) assert.ok(line.length <= 76, line);
  assert.equal(field.replaceAll("\r\n", ""), `Subject: ${long}`);
});

test("a long word is not cut, unless it is too long for any line", () => {
  const url = `<https://trunkline.test/${"a".repeat(200)}>`;
  assert.equal(textField("List-Unsubscribe", url), `List-Unsubscribe: ${url}\r\n`);
  for (const line of textField("Subject", "a".repeat(2000)).split("\r\n")) assert.ok(line.length <= 76, line);
});

test("what is not plain ASCII is encoded: words of at most 75 columns, lines of at most 76, no character cut", () => {
  for (const text of [
    "Grüße",
    "漢字".repeat(50),
    "👩‍👩‍👧".repeat(20),
    " leading",
    "trailing ",
    "two  spaces",
    "=?UTF-8?Q?a?=",
  ]) {
    const field = textField("Subject", text);
    const words = [...field.matchAll(/=\?UTF-8\?B\?([^?]*)\?=/g)];
    for (const [word, content] of words) {
      assert.ok(word.length <= 75, word);
      assert.ok(!Buffer.from(content!, "base64").toString().includes("\ufffd"), word);
    }
    for (const line of field.split("\r\n")) assert.ok(line.length <= 76, line);
    assert.equal(Buffer.concat(words.map(([, content]) => Buffer.from(content!, "base64"))).toString(), text);
  }
});

test("no text makes a second field, with any content", () => {
  for (const text of [
    "a\r\nBcc: eve@example.org",
    "a\nBcc: x",
    "a\rBcc: x",
    "a\u0000b",
    "a\u0085b",
    "a\u2028b",
    "\ud800",
  ]) {
    for (const field of [
      textField("Subject", text),
      mailboxField("From", { address: "a@b.example", name: text }),
      `X: y${parameter("filename", text)}\r\n`,
    ]) {
      assert.match(field, /^[^\r\n]+(?:\r\n [^\r\n]+)*\r\n$/, JSON.stringify(field));
      assert.doesNotMatch(field, /[^\r\n -~]/);
    }
  }
});

test("display names are quoted or encoded, so that they end where they end", () => {
  const from = (name: string | null) => mailboxField("From", { address: "a@b.example", name });
  assert.equal(from(null), "From: a@b.example\r\n");
  assert.equal(from("  "), "From: a@b.example\r\n");
  assert.equal(from("Jane Doe"), 'From: "Jane Doe" <a@b.example>\r\n');
  assert.equal(from('Doe, "J" \\'), 'From: "Doe, \\"J\\" \\\\" <a@b.example>\r\n');
  assert.equal(from("Jörg"), "From: =?UTF-8?B?SsO2cmc=?= <a@b.example>\r\n");
  assert.match(from("x".repeat(61)), /^From: =\?UTF-8\?B\?/);
});

test("a field of many mailboxes is read as the same mailboxes, and its lines are short", () => {
  const names = [
    null,
    "Ada Lovelace",
    "Lovelace, Ada",
    'A "B" <x@y.example>',
    "漢字".repeat(40),
    "Jörg, J",
    "x".repeat(200),
    "=?UTF-8?Q?a?=",
  ];
  const mailboxes = names.map((name, index) => ({ name, address: `user${index}@example.com` }));
  const field = mailboxesField("To", mailboxes);
  for (const line of field.split("\r\n")) assert.ok(line.length <= 78, line);
  assert.deepEqual(readMailboxes(field.slice("To:".length).replaceAll("\r\n", "")), mailboxes);
});

test("parameters: quoted when plain, else as RFC 2231 has them", () => {
  assert.equal(parameter("filename", "a b.pdf"), ';\r\n filename="a b.pdf"');
  assert.equal(parameter("filename", "ä.pdf"), ";\r\n filename*=UTF-8''%C3%A4.pdf");
  assert.equal(parameter("filename", 'a"b.pdf'), ";\r\n filename*=UTF-8''a%22b.pdf");
  const long = parameter("filename", "ä".repeat(40));
  assert.match(long, /^;\r\n filename\*0\*=UTF-8''(?:%C3%A4)+;\r\n filename\*1\*=(?:%C3%A4)+;/);
  for (const line of long.split("\r\n")) assert.ok(line.length <= 78, line);
  assert.equal(decodeURIComponent([...long.matchAll(/%../g)].join("")), "ä".repeat(40));
});

test("a file name cannot hide another one in encoded words", () => {
  assert.equal(
    parameter("filename", "=?UTF-8?B?Li4vZXZpbA==_="),
    ';\r\n filename="=_UTF-8?B?Li4vZXZpbA==_="',
  );
});

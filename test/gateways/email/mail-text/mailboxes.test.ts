// Mailboxes of header fields: the address that a person sees, or none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readMailboxes, textOf } from "#gateways/email/mail-text/mailboxes.ts";

test("one plain mailbox each, or no address", () => {
  const table: [text: string, mailboxes: [name: string | null, address: string | null][]][] = [
    ["a@example.com", [[null, "a@example.com"]]],
    ["<a@example.com>", [[null, "a@example.com"]]],
    [
      "Ada L. <a@example.com>, Bob <b@example.com>",
      [
        ["Ada L.", "a@example.com"],
        ["Bob", "b@example.com"],
      ],
    ],
    ['"Acme, \\"Inc\\"" <a@example.com>', [['Acme, "Inc"', "a@example.com"]]],
    ['"x@evil.test" <a@example.com>', [["x@evil.test", "a@example.com"]]],
    ["x@evil.test <a@example.com>", [["x@evil.test", null]]],
    ["<x@evil.test> <a@example.com>", [["<x@evil.test>", null]]],
    ["a@example.com (comment)", [[null, null]]],
    ["(comment) <a@example.com>", [["(comment)", null]]],
    ["Group: a@example.com;", [[null, null]]],
    ["undisclosed-recipients:;", [[null, null]]],
    ["=?utf-8?B?R3LDvMOfZQ==?= <a@example.com>", [["Grüße", "a@example.com"]]],
    ["a@b@example.com", [[null, null]]],
    ["", []],
    [",,", []],
    ['"open <a@example.com>, b@example.com', [['"open', null]]],
  ];
  for (const [text, mailboxes] of table)
    assert.deepEqual(
      readMailboxes(text).map(({ name, address }) => [name, address]),
      mailboxes,
      text,
    );
});

test("a megabyte of anything is read in no time", () => {
  for (const piece of ['"', "<", ">", ",", "\\", "a@b,", '"\\', "=?utf-8?q?a?= ", "( "]) {
    const begun = process.cpuUsage().user;
    readMailboxes(piece.repeat(Math.ceil(250_000 / piece.length)));
    assert.ok(process.cpuUsage().user - begun < 2_000_000, piece);
  }
});

test("text of a field is one line of well-formed characters", () => {
  assert.equal(textOf("a\tb\u0000c"), "a b c");
  assert.equal(textOf(Buffer.from("Grüße").toString("latin1")), "Grüße");
  assert.equal(textOf("=?utf-8?Q?a=0D=0Ab?="), "a b");
});

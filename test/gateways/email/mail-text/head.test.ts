// The header of a mail that others wrote.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faultOfHead, fieldOf, LineEnds, readHead, withFields } from "#gateways/email/mail-text/head.ts";

const headOf = (text: string | Buffer) => {
  const raw = Buffer.from(text as string, "latin1");
  const head = readHead(raw);
  return { raw, head };
};

test("fields are unfolded, and the mail is otherwise left alone", () => {
  const { raw, head } = headOf("A: 1\r\nB:  two\r\n\twords \r\n  more\r\nBcc: x\r\n y\r\nC:\r\n\r\nBody\r\n");
  if (typeof head === "string") return assert.fail(head);
  assert.deepEqual(
    head.fields.map(({ name, value }) => [name, value]),
    [
      ["a", "1"],
      ["b", "two words more"],
      ["bcc", "x y"],
      ["c", ""],
    ],
  );
  assert.equal(raw.toString("latin1", head.bodyAt), "Body\r\n");
  assert.equal(fieldOf(head, "b"), "two words more");
  assert.equal(
    withFields(raw, head, (name) => name === "bcc", "D: 4\r\n").toString("latin1"),
    "D: 4\r\nA: 1\r\nB:  two\r\n\twords \r\n  more\r\nC:\r\n\r\nBody\r\n",
  );
});

test("what is no header, or has two of a field, is refused", () => {
  const many = "X: 1\r\n".repeat(1001);
  const table: [text: string, fault: RegExp | null][] = [
    ["\r\nBody", null],
    ["", null],
    ["A: 1", null],
    ["no field\r\n\r\n", /a line that is no field/],
    [" continued\r\n\r\n", /a line that is no field/],
    ["From : x\r\n\r\n", null],
    ["Fr om: x\r\n\r\n", /a line that is no field/],
    ["A: 1\r\n: 2\r\n\r\n", /a line that is no field/],
    [many, /more than 1000 fields/],
    [`A: ${"x".repeat(300_000)}\r\n\r\n`, /longer than 256 KiB/],
    ["From: a\r\nFROM: b\r\n\r\n", /more than one from field/],
    ["Subject: \xff\r\n\r\n", /neither ASCII nor UTF-8/],
    ["Subject: \xc3\xbc\r\n\r\n", null],
    ["Received: 1\r\nReceived: 2\r\n\r\n", null],
  ];
  for (const [text, expected] of table) {
    const { raw, head } = headOf(text);
    const fault = typeof head === "string" ? head : faultOfHead(raw, head);
    if (expected === null) assert.equal(fault, null, text.slice(0, 40));
    else assert.match(fault ?? "", expected, text.slice(0, 40));
  }
});

test("line ends are sound only as CRLF, however the bytes are cut", () => {
  const table: [text: string, areSound: boolean][] = [
    ["", true],
    ["a\r\nb\r\n", true],
    ["a\nb", false],
    ["a\rb", false],
    ["a\r\r\n", false],
    ["a\n\r\n", false],
    ["a\r", false],
    ["a\0\r\n", false],
  ];
  for (const [text, areSound] of table)
    for (let cut = 0; cut <= text.length; cut += 1) {
      const ends = new LineEnds();
      ends.add(Buffer.from(text.slice(0, cut), "latin1"));
      ends.add(Buffer.from(text.slice(cut), "latin1"));
      assert.equal(ends.areSound, areSound, JSON.stringify([text, cut]));
    }
});

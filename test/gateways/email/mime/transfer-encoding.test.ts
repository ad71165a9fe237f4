// Bodies in transit: every encoding gives back what went in, and no line can be taken for the end of a mail.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodedText, wrappedBase64 } from "#gateways/email/mime/transfer-encoding.ts";
import { seed } from "../../conformance-samples.ts";

/** Quoted-printable by the book (RFC 2045, 6.7), sharing nothing with the encoder. */
function fromQuotedPrintable(text: string): string {
  const joined = text.replace(/[\t ]+(?=\r\n|$)/g, "").replace(/=\r\n/g, "");
  const latin = joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(latin, "latin1").toString();
}

function decoded(text: string): string {
  const { encoding, body } = encodedText(text);
  const wire = body.toString("latin1");
  assert.match(wire, /^[\t\r\n -~]*$/);
  assert.doesNotMatch(wire, /\r(?!\n)|(?<!\r)\n/);
  assert.doesNotMatch(wire, /(?:^|\n)(?:\.|From )/);
  assert.doesNotMatch(wire, /[\t ]\r\n/);
  assert.ok(wire === "" || wire.endsWith("\r\n"));
  for (const line of wire.split("\r\n")) assert.ok(line.length <= 76, `${line.length}: ${line}`);
  if (encoding === "7bit") return wire;
  return encoding === "base64" ? Buffer.from(wire, "base64").toString() : fromQuotedPrintable(wire);
}

const normal = (text: string) => text.toWellFormed().replace(/\r\n?|\n/g, "\r\n");
const same = (text: string) =>
  assert.equal(decoded(text).replace(/(?:\r\n)+$/, ""), normal(text).replace(/(?:\r\n)+$/, ""));

test("the shortest encoding that is safe", () => {
  assert.equal(encodedText("Hello\nthere").encoding, "7bit");
  assert.equal(encodedText("Grüße aus München, wo die Sonne scheint").encoding, "quoted-printable");
  assert.equal(encodedText("漢字かな交じり文").encoding, "base64");
  for (const text of [
    "x".repeat(77),
    ".",
    "a\n.\nb",
    "From me",
    "a\nFrom me",
    "blank end \nb",
    "a\u0000b",
    "--=_x",
  ]) {
    assert.equal(encodedText(text).encoding, "quoted-printable", JSON.stringify(text));
  }
});

/** The rule for `7bit` in one expression, for lines that end in CRLF; too slow for long bodies. */
const needsEncoding = /[^\t\r\n -~]|[^\r\n]{77}|[\t ](?:\r|$)|(?:^|\n)(?:\.|From )|=_/;

test("what may go as 7bit is what the rule says, byte for byte", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "\r",
      "\n",
      "\r\n",
      " ",
      "\t",
      ".",
      "From ",
      "From",
      "=_",
      "=",
      "_",
      "ä",
      "漢",
      "\ud800",
      "\0",
      "~",
      "\x7f",
    ),
    fc.integer({ min: 74, max: 78 }).map((length) => "x".repeat(length)),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const lines = normal(pieces.join(""));
      const { encoding, body } = encodedText(pieces.join(""));
      assert.equal(encoding === "7bit", !needsEncoding.test(lines), JSON.stringify(lines));
      if (encoding === "7bit")
        assert.equal(body.toString("latin1"), lines.endsWith("\r\n") ? lines : `${lines}\r\n`);
    }),
    { seed, numRuns: 5000 },
  );
});

test("texts that are awkward for an encoder", () => {
  for (const text of [
    "",
    "\n",
    "\r",
    "\r\n\r\n",
    " ",
    "\t",
    "=",
    "a=b",
    "a =\nb",
    "..",
    ".\r.\r",
    "\n.\n",
    "\ud800",
  ])
    same(text);
  for (let length = 70; length < 82; length += 1) {
    for (const end of ["", "\n", " ", " \n", "=", ".", "ü", "=\n", "\n.", " \nFrom "])
      same(`${"x".repeat(length)}${end}`);
  }
});

test("a soft break never leaves a dot at the beginning of a line", () => {
  for (let length = 60; length < 90; length += 1)
    same(`ü${"x".repeat(length)}.From here. ${".".repeat(length)}`);
});

test("any text comes back", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\r", "\n", "\r\n", ".", "From ", " ", "=", "ü", "漢", "x".repeat(75)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => same(pieces.join(""))),
    { numRuns: 2000, seed },
  );
});

test("base64 in lines of 76, each ended", () => {
  for (const size of [0, 1, 2, 3, 56, 57, 58, 114, 115, 10_000]) {
    const bytes = Buffer.alloc(size, 255);
    const wire = wrappedBase64(bytes).toString("latin1");
    assert.ok(Buffer.from(wire, "base64").equals(bytes));
    assert.equal(wire.length, Math.ceil(size / 3) * 4 + Math.ceil(size / 57) * 2);
    assert.match(wire, /^(?:[^\r\n]{1,76}\r\n)*$/);
  }
});

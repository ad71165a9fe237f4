// Reading a mail as parts: bounded, any mail is, with anything it says about itself, and right where it is sound.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import PostalMime from "postal-mime";
import { decodedWords, maxMailBytes, readFields, readParts } from "#gateways/email/reports/mime-parts.ts";
import { samples } from "../report-samples.ts";

test("headers: folded, repeated, and lines that are none", () => {
  const fields = readFields("Subject: a\n b\n\tc\nnonsense\nSUBJECT: second\n: x\nX y: z\nEmpty:\nTo : d");
  assert.deepEqual(Object.fromEntries(fields), { subject: "a b c", empty: "", to: "d" });
});

test("parts in their order, encodings undone, preamble and epilogue left out", () => {
  const text = [
    'Content-Type: Multipart/Mixed; charset=x; Boundary="a b"',
    "",
    "before",
    "--a b",
    "",
    "one",
    "--a b  ",
    "Content-Type: text/html",
    "Content-Transfer-Encoding: Quoted-Printable",
    "",
    "t=\r\nwo =3D\t",
    "--a b",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from("three\r\n").toString("base64"),
    "--a b--",
    "--a b",
    "",
    "after",
  ].join("\r\n");
  assert.deepEqual(
    readParts(Buffer.from(text)).map(({ type, body }) => [type, body]),
    [
      ["multipart/mixed", ""],
      ["text/plain", "one"],
      ["text/html", "two ="],
      ["text/plain", "three\n"],
    ],
  );
});

test("quoted-printable: a mail of blanks is read in time that grows with its length", () => {
  const blanks = " \t".repeat(maxMailBytes / 8);
  const from = performance.now();
  const [mail] = readParts(
    Buffer.from(`Content-Transfer-Encoding: quoted-printable\n\n${blanks}x${blanks}\ny=${blanks}\nz`),
  );
  // An expression that walks to the end of the run from each of its blanks takes half an hour.
  assert.ok(performance.now() - from < 5_000);
  assert.equal(mail?.body, `${blanks}x\nyz`);
  const [small] = readParts(
    Buffer.from("Content-Transfer-Encoding: quoted-printable\n\n a \t \n\t\nb =\t\n c \t"),
  );
  assert.equal(small?.body, " a\n\nb  c");
});

test("an independent parser finds the same parts in reports", async () => {
  for (const [name, sample] of Object.entries(samples)) {
    const email = await PostalMime.parse(sample, { forceRfc822Attachments: true });
    const own = readParts(sample);
    const theirs = email.attachments.map(({ mimeType }) => mimeType);
    const leaves = own.map(({ type }) => type).filter((type) => /^message\/|rfc822/.test(type));
    assert.deepEqual(leaves, theirs, name);
    assert.equal(decodedWords(own[0]?.headers.get("subject") ?? ""), email.subject, name);
  }
});

test("bounds: size, number and depth of parts, number of headers", () => {
  const many = `Content-Type: multipart/x; boundary=a\n\n${"--a\n\nx\n".repeat(10_000)}`;
  assert.ok(readParts(Buffer.from(many)).length <= 51);
  let deep = "x";
  for (let i = 0; i < 50; i++)
    deep = `Content-Type: multipart/x; boundary=b${i}\n\n--b${i}\n${deep}\n--b${i}--`;
  assert.ok(readParts(Buffer.from(deep)).length <= 6);
  const long = Buffer.alloc(maxMailBytes + 1000, "x");
  long.write("a: b\n\n");
  assert.equal(readParts(long)[0]?.body.length, maxMailBytes - 6);
  assert.ok(readFields(Array.from({ length: 2000 }, (_, i) => `h${i}: x`).join("\n")).size <= 500);
});

test("no bytes are too much", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      assert.ok(readParts(bytes).length >= 1);
    }),
  );
});

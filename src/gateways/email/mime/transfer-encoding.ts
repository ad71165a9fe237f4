// Encodes bodies so that every mail server accepts them: ASCII, lines of at most 76 bytes that end in CRLF and never begin
// with a dot or `From `. Nothing has to be stuffed or escaped on the way, and no server finds a second mail in one.

type TransferEncoding = "7bit" | "quoted-printable" | "base64";

const maxLineBytes = 76;
/** Above this share of bytes beyond ASCII, base64 is shorter. */
const base64Share = 0.12;
const [tab, lineFeed, carriageReturn, space, dot, equals] = [9, 10, 13, 32, 46, 61];
const [underscore, tilde] = [95, 126];
const hexDigits = Buffer.from("0123456789ABCDEF");
/** Bytes that need no encoding, except for a blank at the end of a line. */
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === tab || (byte >= space && byte < 127 && byte !== equals) ? 1 : 0,
);

/**
 * An encoded text, whose line ends are CRLF (a bare CR or LF counts as one), and its encoding. It ends in a line end. It is
 * examined byte by byte: 5 MiB, the longest body, take 20 ms, where regular expressions take 1.5 s.
 */
export function encodedText(text: string): { encoding: TransferEncoding; body: Buffer } {
  const lines = linesOf(text);
  const beyondAscii = Buffer.byteLength(text) - text.length;
  if (beyondAscii === 0 && isPlain(lines)) return { encoding: "7bit", body: ended(lines) };
  if (beyondAscii > (lines.length - beyondAscii) * base64Share) {
    return { encoding: "base64", body: wrappedBase64(lines) };
  }
  return { encoding: "quoted-printable", body: quotedPrintable(lines) };
}

/** Replacing takes a fifth of the time for a typical text with LF, but is slower for a text of line ends alone. */
const maxReplacedChars = 64 * 1024;

/** UTF-8, with CRLF for each line end. */
function linesOf(text: string): Buffer {
  return text.length > maxReplacedChars || text.includes("\r")
    ? withLineEnds(Buffer.from(text))
    : Buffer.from(text.replaceAll("\n", "\r\n"));
}

/** With CRLF for each line end; the same buffer if it has no others. */
function withLineEnds(bytes: Buffer): Buffer {
  let bare = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]!;
    if (byte > carriageReturn) continue;
    if (byte === carriageReturn) {
      if (bytes[index + 1] === lineFeed) index += 1;
      else bare += 1;
    } else if (byte === lineFeed) bare += 1;
  }
  if (bare === 0) return bytes;
  const lines = Buffer.allocUnsafe(bytes.length + bare);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]!;
    if (byte === carriageReturn || byte === lineFeed) {
      if (byte === carriageReturn && bytes[index + 1] === lineFeed) index += 1;
      length = lineEnd(lines, length);
    } else {
      lines[length] = byte;
      length += 1;
    }
  }
  return lines;
}

/**
 * Whether lines may be sent as `7bit`: without controls, long lines, trailing blanks, and text that a reader could
 * misinterpret, such as the beginning of a mail or an encoded word.
 */
function isPlain(lines: Buffer): boolean {
  let start = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const byte = lines[index]!;
    if (byte === carriageReturn) {
      if (isBlank(lines[index - 1]!)) return false;
      index += 1;
      start = index + 1;
    } else if (index - start === maxLineBytes || (byte < space && byte !== tab) || byte > tilde) {
      return false;
    } else if (index === start) {
      if (byte === dot || (startsFrom(lines, index) && lines[index + 4] === space)) return false;
    } else if (byte === underscore && lines[index - 1] === equals) return false;
  }
  return !isBlank(lines[lines.length - 1]!);
}

function ended(lines: Buffer): Buffer {
  if (lines[lines.length - 1] === lineFeed) return lines;
  const out = Buffer.allocUnsafe(lines.length + 2);
  lineEnd(out, lines.copy(out));
  return out;
}

/**
 * RFC 2045, 6.7. `bytes`: text whose line ends are CRLF; every other control byte is encoded. Most bytes are in
 * runs of plain ones, so those have a loop of their own.
 */
function quotedPrintable(bytes: Buffer): Buffer {
  // Three output bytes for each input byte, and a soft break after every 25 of these.
  const out = Buffer.allocUnsafe(bytes.length * 3 + Math.ceil(bytes.length / 24) * 3 + 2);
  let length = 0;
  let column = 0;
  for (let index = 0; index < bytes.length; ) {
    const first = bytes[index]!;
    if (first === carriageReturn && bytes[index + 1] === lineFeed) {
      length = lineEnd(out, length);
      column = 0;
      index += 2;
      continue;
    }
    let escaped = plain[first] === 0 || (column === 0 && (first === dot || startsFrom(bytes, index)));
    if (!escaped) {
      const from = index;
      // The last column belongs to the `=` of a soft break.
      const limit = Math.min(bytes.length, index + maxLineBytes - 1 - column);
      while (index < limit && plain[bytes[index]!] === 1) {
        out[length] = bytes[index]!;
        length += 1;
        index += 1;
      }
      // A blank at the end is encoded in the next iteration.
      if (index > from && isBlank(bytes[index - 1]!) && endsLine(bytes, index)) {
        index -= 1;
        length -= 1;
      }
      column += index - from;
      if (index > from) continue;
      escaped = isBlank(first) && endsLine(bytes, index + 1);
    }
    // Unless the line ends here, the last column belongs to the `=` of a soft break.
    const maxColumn = endsLine(bytes, index + 1) ? maxLineBytes : maxLineBytes - 1;
    if (column + (escaped ? 3 : 1) > maxColumn) {
      out[length] = equals;
      length = lineEnd(out, length + 1);
      column = 0;
      continue;
    }
    if (escaped) {
      out[length] = equals;
      out[length + 1] = hexDigits[first >> 4]!;
      out[length + 2] = hexDigits[first & 15]!;
      length += 3;
      column += 3;
    } else {
      out[length] = first;
      length += 1;
      column += 1;
    }
    index += 1;
  }
  if (column > 0 || length === 0) length = lineEnd(out, length);
  return out.subarray(0, length);
}

function lineEnd(out: Buffer, at: number): number {
  out[at] = carriageReturn;
  out[at + 1] = lineFeed;
  return at + 2;
}

function endsLine(bytes: Buffer, at: number): boolean {
  return at >= bytes.length || (bytes[at] === carriageReturn && bytes[at + 1] === lineFeed);
}

const isBlank = (byte: number) => byte === space || byte === tab;

function startsFrom(bytes: Buffer, at: number): boolean {
  return bytes[at] === 70 && bytes[at + 1] === 114 && bytes[at + 2] === 111 && bytes[at + 3] === 109;
}

/** Base64 in lines of 76 characters, each ended, including the last; empty for no bytes. */
export function wrappedBase64(bytes: Buffer): Buffer {
  const flat = Buffer.from(bytes.toString("base64"), "latin1");
  const lines = Math.ceil(flat.length / maxLineBytes);
  const out = Buffer.allocUnsafe(flat.length + lines * 2);
  let length = 0;
  for (let from = 0; from < flat.length; from += maxLineBytes) {
    length += flat.copy(out, length, from, Math.min(from + maxLineBytes, flat.length));
    out[length] = carriageReturn;
    out[length + 1] = lineFeed;
    length += 2;
  }
  return out;
}

// The parts of a mail that others wrote: where they are, what they are, and their contents. Bounded in depth and number, so that a mail that
// nests parts without end is refused and not read.

import { type HeadField, readHead } from "./head.ts";
import { textOf } from "./mailboxes.ts";

/** A part that holds no others. */
export interface MailPart {
  /** Lower case, without parameters. */
  type: string;
  charset: string;
  /** Lower case: `base64`, `quoted-printable`, or one that is no encoding. */
  encoding: string;
  isAttachment: boolean;
  filename: string | null;
  /** Without angle brackets. */
  contentId: string | null;
  /** The types of the parts around it, the outermost first. */
  within: readonly string[];
  /** Its content in the mail's bytes. */
  start: number;
  end: number;
}

const maxDepth = 10;
const maxParts = 300;

/** The parts of a mail in order; text if they are too many or too deep: what is wrong. */
export function readMailParts(raw: Buffer): MailPart[] | string {
  const parts: MailPart[] = [];
  const fault = walk(raw, { start: 0, end: raw.length, within: [] }, { parts, visited: 0 });
  return fault ?? parts;
}

interface Range {
  start: number;
  end: number;
  within: readonly string[];
}

interface Walk {
  parts: MailPart[];
  /** Parts so far, those that hold others included. */
  visited: number;
}

/** Adds the parts in a range; text for a fault. */
function walk(raw: Buffer, { start, end, within }: Range, progress: Walk): string | null {
  progress.visited += 1;
  if (progress.visited > maxParts) return `The mail has more than ${maxParts} parts.`;
  const head = readHead(raw, start, end);
  if (typeof head === "string") return head;
  const value = (name: string) => head.fields.find((field: HeadField) => field.name === name)?.value ?? "";
  const { type, parameters } = readType(value("content-type") || "text/plain");
  const boundary = parameters.get("boundary");
  if (type.startsWith("multipart/") && boundary !== undefined && boundary !== "") {
    if (within.length >= maxDepth) return `The mail nests parts more than ${maxDepth} deep.`;
    for (const range of rangesOf(raw, head.bodyAt, end, boundary)) {
      const fault = walk(raw, { ...range, within: [...within, type] }, progress);
      if (fault !== null) return fault;
    }
    return null;
  }
  const disposition = readType(value("content-disposition"));
  const filename = disposition.parameters.get("filename") ?? parameters.get("name") ?? null;
  progress.parts.push({
    type,
    charset: parameters.get("charset")?.toLowerCase() ?? "utf-8",
    encoding: value("content-transfer-encoding").toLowerCase(),
    isAttachment: disposition.type === "attachment" || (filename !== null && disposition.type !== "inline"),
    filename: filename === null ? null : textOf(filename).slice(0, 255),
    contentId: /^<([^<>\s]{1,200})>$/.exec(value("content-id"))?.[1] ?? null,
    within,
    start: head.bodyAt,
    end,
  });
  return null;
}

/** The ranges between the lines of a boundary. More than any mail may have are cut off one later, which is a fault. */
function rangesOf(raw: Buffer, start: number, end: number, boundary: string): Omit<Range, "within">[] {
  const mark = Buffer.from(`--${boundary}`, "latin1");
  const ranges: Omit<Range, "within">[] = [];
  let from = -1;
  // The first one may be at the very beginning of the body.
  let at = isMark(raw, start, end, mark) ? start : nextMark(raw, start, end, mark);
  while (at !== -1 && ranges.length <= maxParts) {
    if (from !== -1) ranges.push({ start: from, end: Math.max(from, at - 2) });
    const after = at + mark.length;
    if (raw[after] === 0x2d && raw[after + 1] === 0x2d) return ranges;
    const rest = raw.subarray(after, end).indexOf("\r\n", 0, "latin1");
    if (rest === -1) return ranges;
    const lineEnd = after + rest;
    from = lineEnd + 2;
    // A mark may follow at once: an empty part.
    at = nextMark(raw, lineEnd, end, mark);
  }
  // A mail that was cut off: the rest is its last part.
  if (from !== -1 && at === -1) ranges.push({ start: from, end });
  return ranges;
}

/** Where the next line begins that is the mark; -1 without one. */
function nextMark(raw: Buffer, from: number, end: number, mark: Buffer): number {
  // Only in the range: the rest may be megabytes, and has been searched by the part around it.
  const range = raw.subarray(0, end);
  const line = Buffer.concat([Buffer.from("\r\n"), mark]);
  for (let at = range.indexOf(line, from); at !== -1; at = range.indexOf(line, at + line.length))
    if (isMark(raw, at + 2, end, mark)) return at + 2;
  return -1;
}

/** Whether the mark is here with nothing behind it but two dashes or white space: another mark may begin with it. */
function isMark(raw: Buffer, at: number, end: number, mark: Buffer): boolean {
  const after = at + mark.length;
  if (after > end || !raw.subarray(at, after).equals(mark)) return false;
  return /^(?:--|[ \t]{0,99}(?:\r|$))/.test(raw.toString("latin1", after, Math.min(end, after + 100)));
}

/** The value and the parameters of a field such as Content-Type, those in pieces (RFC 2231) joined. */
function readType(value: string): { type: string; parameters: ReadonlyMap<string, string> } {
  const parameters = new Map<string, string>();
  const text = value.slice(0, 4000);
  const type = text.split(";", 1)[0]!.trim().toLowerCase();
  for (const [, name = "", quoted, bare] of text.matchAll(
    /;\s*([\w*-]{1,40})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g,
  )) {
    const piece = quoted?.replaceAll(/\\(.)/g, "$1") ?? bare ?? "";
    const [, base = "", index, extended] = /^([^*]*)(?:\*(\d+))?(\*)?$/.exec(name.toLowerCase()) ?? [];
    const decoded =
      extended === undefined ? piece : percentDecoded(piece, index === undefined || index === "0");
    const known = parameters.get(base);
    if (known === undefined) parameters.set(base, decoded);
    else if (index !== undefined && index !== "0") parameters.set(base, known + decoded);
  }
  return { type, parameters };
}

/** Bytes as characters, of a piece in percents. The first piece begins with a character set and a language. */
function percentDecoded(piece: string, isFirst: boolean): string {
  const [charset, , ...rest] = piece.split("'");
  const text = isFirst && rest.length > 0 ? rest.join("'") : piece;
  const bytes = Buffer.from(
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  if (!isFirst || charset === undefined || /^utf-?8$/i.test(charset)) return bytes.toString("latin1");
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes)).toString("latin1");
  } catch {
    return bytes.toString("latin1");
  }
}

/** The content of a part in bytes; null if its encoding is unknown. */
export function contentOf(raw: Buffer, { encoding, start, end }: MailPart): Buffer | null {
  const bytes = raw.subarray(start, end);
  switch (encoding) {
    case "base64":
      return Buffer.from(bytes.toString("latin1"), "base64");
    case "quoted-printable":
      return unquotedPrintable(bytes);
    case "":
    case "7bit":
    case "8bit":
    case "binary":
      return bytes;
    default:
      return null;
  }
}

/** How many bytes a part has once it is decoded, without decoding it: exact for base64 in lines of full length, else near. */
export function sizeOf(raw: Buffer, part: MailPart): number {
  if (part.encoding !== "base64") return part.end - part.start;
  return Buffer.from(raw.toString("latin1", part.start, part.end), "base64").length;
}

/** The text of a part; null if its encoding or its character set is unknown. */
export function textOfPart(raw: Buffer, part: MailPart): string | null {
  const bytes = contentOf(raw, part);
  if (bytes === null) return null;
  try {
    return new TextDecoder(part.charset === "us-ascii" ? "utf-8" : part.charset)
      .decode(bytes)
      .replaceAll("\r\n", "\n");
  } catch {
    return null;
  }
}

const [equals, lineFeed, carriageReturn, space, tab] = [0x3d, 0x0a, 0x0d, 0x20, 0x09];

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** RFC 2045, 6.7. A broken escape stays as it is written. */
function unquotedPrintable(bytes: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  /** The length without white space at the end of the line so far. */
  let solid = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === equals) {
      const [high, low] = [hexValue(bytes[at + 1]), hexValue(bytes[at + 2])];
      let lineEnd = at + 1;
      if (high >= 0 && low >= 0) {
        decoded[length++] = high * 16 + low;
        solid = length;
        at += 2;
        continue;
      }
      while (bytes[lineEnd] === space || bytes[lineEnd] === tab) lineEnd += 1;
      if (bytes[lineEnd] === carriageReturn && bytes[lineEnd + 1] === lineFeed) {
        solid = length;
        at = lineEnd + 1;
        continue;
      }
    }
    if (byte === carriageReturn && bytes[at + 1] === lineFeed) length = solid;
    decoded[length++] = byte;
    if (byte !== space && byte !== tab) solid = length;
  }
  return decoded.subarray(0, length);
}

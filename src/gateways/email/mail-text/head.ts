// The header of a mail that others wrote: its fields with their places in the bytes, so that the mail can be sent on as it was written. Bytes
// are characters here (latin1) until a value is decoded. Every loop is linear in the header, whose length and number of fields are bounded.

/** A field of a header. */
export interface HeadField {
  /** Lower case. */
  name: string;
  /** Unfolded and trimmed; bytes as characters. */
  value: string;
  /** The bytes of the field from its name to its line end. */
  start: number;
  end: number;
}

export interface MailHead {
  fields: readonly HeadField[];
  /** Where the body begins; the length of the mail if it has none. */
  bodyAt: number;
}

const maxHeadBytes = 256 * 1024;
const maxFields = 1000;
const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** Fields that a mail has at most once (RFC 5322, 3.6; RFC 2045). With two of them, two readers see two mails. */
const singleFields: ReadonlySet<string> = new Set([
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "bcc",
  "message-id",
  "in-reply-to",
  "references",
  "subject",
  "date",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
]);

/** Watches for line ends other than CRLF, and for NUL, in bytes that arrive piece by piece. */
export class LineEnds {
  #afterReturn = false;
  #broken = false;

  add(piece: Buffer): void {
    let afterReturn = this.#afterReturn;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at]!;
      if (afterReturn !== (byte === lineFeed) || byte === 0) {
        this.#broken = true;
        return;
      }
      afterReturn = byte === carriageReturn;
    }
    this.#afterReturn = afterReturn;
  }

  /** Whether every line so far ends in CRLF. */
  get areSound(): boolean {
    return !this.#broken && !this.#afterReturn;
  }
}

/** The header of a part that begins at `start` and ends before `end`; text if it is not a header: what is wrong with it. */
export function readHead(raw: Buffer, start = 0, end = raw.length): MailHead | string {
  const empty = raw.subarray(start, start + 2).toString("latin1") === "\r\n" || start >= end;
  const rest = empty ? -1 : raw.subarray(start, end).indexOf("\r\n\r\n", 0, "latin1");
  const split = start + rest;
  const found = rest !== -1;
  const headEnd = empty ? start : found ? split + 2 : end;
  if (headEnd - start > maxHeadBytes) return `The header is longer than ${maxHeadBytes / 1024} KiB.`;
  const text = raw.toString("latin1", start, headEnd);
  const fields: HeadField[] = [];
  for (let at = 0; at < text.length; ) {
    const fieldStart = at;
    const colon = text.indexOf(":", at);
    let lineEnd = text.indexOf("\r\n", at);
    const name = colon === -1 ? "" : text.slice(at, colon).trimEnd();
    if (colon === -1 || (lineEnd !== -1 && colon > lineEnd) || !/^[!-9;-~]{1,256}$/.test(name))
      return "The header has a line that is no field.";
    let value = text.slice(colon + 1, lineEnd === -1 ? text.length : lineEnd);
    const lines: string[] = [];
    while (lineEnd !== -1 && (text[lineEnd + 2] === " " || text[lineEnd + 2] === "\t")) {
      const from = lineEnd + 2;
      lineEnd = text.indexOf("\r\n", from);
      lines.push(text.slice(from, lineEnd === -1 ? text.length : lineEnd));
    }
    if (lines.length > 0) value = [value, ...lines].map((line) => line.trim()).join(" ");
    at = lineEnd === -1 ? text.length : lineEnd + 2;
    if (fields.length >= maxFields) return `The header has more than ${maxFields} fields.`;
    fields.push({
      name: name.toLowerCase(),
      value: value.trim(),
      start: start + fieldStart,
      end: start + at,
    });
  }
  return { fields, bodyAt: empty ? Math.min(start + 2, end) : found ? Math.min(split + 4, end) : end };
}

/** Why the header of a whole mail is refused; null if it is sound. */
export function faultOfHead(raw: Buffer, { fields, bodyAt }: MailHead): string | null {
  const seen = new Set<string>();
  for (const { name } of fields) {
    if (seen.has(name) && singleFields.has(name)) return `The mail has more than one ${name} field.`;
    seen.add(name);
  }
  if (!isUtf8(raw, bodyAt)) return "The header is neither ASCII nor UTF-8.";
  return null;
}

function isUtf8(raw: Buffer, end: number): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(raw.subarray(0, end));
    return true;
  } catch {
    return false;
  }
}

/** The value of the first field of a name, null without one. */
export function fieldOf({ fields }: Pick<MailHead, "fields">, name: string): string | null {
  return fields.find((field) => field.name === name)?.value ?? null;
}

/** The mail without the fields that `drops` names, and with `added` before its header. Lines of `added` end in CRLF. */
export function withFields(
  raw: Buffer,
  { fields }: Pick<MailHead, "fields">,
  drops: (name: string) => boolean,
  added: string,
): Buffer {
  const pieces: Buffer[] = added === "" ? [] : [Buffer.from(added, "utf8")];
  let kept = 0;
  for (const { name, start, end } of fields) {
    if (!drops(name)) continue;
    if (start > kept) pieces.push(raw.subarray(kept, start));
    kept = end;
  }
  pieces.push(raw.subarray(kept));
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

// Signs complete mails with DKIM (RFC 6376; Ed25519 as in RFC 8463), relaxed/relaxed. Whole bodies are signed (no `l=`,
// which would allow appended text), and From, Subject and Reply-To are listed once more than they occur, so that a second
// one breaks the signature. Header fields that are not listed here can be changed on the way.

import { createHash, hash, sign } from "node:crypto";
import type { DkimKey } from "#gateways/message.ts";

/** Headers that the signature covers if a mail has them. */
const signedNames = [
  "From",
  "To",
  "Subject",
  "Date",
  "Message-ID",
  "Reply-To",
  "MIME-Version",
  "Content-Type",
  "Content-Transfer-Encoding",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
];
/** Fields that may not be added either. */
const oversignedNames = new Set(["From", "Subject", "Reply-To"]);

const headEnd = "\r\n\r\n";
const columns = 78;
/** How much of a body is processed at once: small enough to stay in the processor's cache. */
const windowBytes = 32_768;
const [tab, lineFeed, carriageReturn, space] = [0x09, 0x0a, 0x0d, 0x20];

/**
 * One `DKIM-Signature` field for each key, each ending in CRLF. The caller sends them before the mail, without copying it. `raw`: header
 * and body, all line ends CRLF, as sent except for dot-stuffing. `now`: epoch ms. RSA is computed on the thread pool.
 */
export async function dkimSignatures(raw: Buffer, keys: readonly DkimKey[], now: number): Promise<Buffer> {
  const split = raw.indexOf(headEnd);
  const head = raw.toString("latin1", 0, split === -1 ? raw.length : split);
  const bodyHash = relaxedBodyHash(split === -1 ? raw.subarray(raw.length) : raw.subarray(split + 4));
  const { names, canonical } = signedFields(head);
  const fields = keys.map(async (key) => {
    const unsigned = folded([
      "v=1;",
      `a=${key.algorithm};`,
      "c=relaxed/relaxed;",
      `d=${key.domain};`,
      `s=${key.selector};`,
      `t=${Math.floor(now / 1000)};`,
      `bh=${bodyHash};`,
      ...listed(names),
    ]);
    // The field itself is signed last, with an empty `b=` and without its line end.
    const signature = await signatureOf(
      key,
      Buffer.from(`${canonical}${relaxedField(unsigned)} b=`, "latin1"),
    );
    return `${unsigned}\r\n b=${signature.match(/.{1,72}/g)!.join("\r\n ")}\r\n`;
  });
  return Buffer.from((await Promise.all(fields)).join(""), "latin1");
}

/** Base64. RFC 8463 signs the SHA-256 of the data with Ed25519, not the data. */
function signatureOf(key: DkimKey, data: Buffer): Promise<string> {
  if (key.algorithm === "ed25519-sha256") {
    // 40 µs: less than a round trip to another thread.
    return Promise.resolve(sign(null, hash("sha256", data, "buffer"), key.privateKey).toString("base64"));
  }
  return new Promise((resolve, reject) => {
    sign("sha256", data, key.privateKey, (error, signature) => {
      if (error === null) resolve(signature.toString("base64"));
      else reject(error);
    });
  });
}

/** The names for `h=`, and their fields in relaxed form. `head`: latin1, so that bytes are preserved. */
function signedFields(head: string): { names: string[]; canonical: string } {
  const present = new Map<string, string[]>();
  for (const field of head.split(/\r\n(?![\t ])/)) {
    const colon = field.indexOf(":");
    if (colon === -1) continue;
    const relaxed = relaxedField(field);
    const name = relaxed.slice(0, relaxed.indexOf(":"));
    const same = present.get(name);
    if (same === undefined) present.set(name, [relaxed]);
    else same.push(relaxed);
  }
  const names: string[] = [];
  let canonical = "";
  for (const name of signedNames) {
    // Of several fields of a name, verifiers take the last one first.
    for (const field of present.get(name.toLowerCase())?.toReversed() ?? []) {
      names.push(name);
      canonical += `${field}\r\n`;
    }
    if (oversignedNames.has(name)) names.push(name);
  }
  return { names, canonical };
}

/** RFC 6376, 3.4.2, without the line end. Only spaces and tabs are white space: a `\u00a0` here is half a letter. */
function relaxedField(field: string): string {
  const colon = field.indexOf(":");
  const name = field
    .slice(0, colon)
    .replace(/[\t ]+/g, "")
    .toLowerCase();
  const value = field
    .slice(colon + 1)
    .replaceAll("\r\n", "")
    .replace(/[\t ]+/g, " ");
  return `${name}:${value.slice(value.startsWith(" ") ? 1 : 0, value.length - (value.endsWith(" ") ? 1 : 0))}`;
}

/** `h=From:To;` in pieces, each of which may begin a line. */
function listed(names: readonly string[]): string[] {
  return names.map((name, index) => {
    return `${index === 0 ? "h=" : ""}${name}${index === names.length - 1 ? ";" : ":"}`;
  });
}

/** The signature field up to `h=`, folded to the maximum line length. */
function folded(pieces: readonly string[]): string {
  let field = "DKIM-Signature:";
  let length = field.length;
  let glued = false;
  for (const piece of pieces) {
    const gap = glued ? 0 : 1;
    if (length + gap + piece.length > columns) {
      field += `\r\n ${piece}`;
      length = 1 + piece.length;
    } else {
      field += gap === 1 ? ` ${piece}` : piece;
      length += gap + piece.length;
    }
    glued = piece.endsWith(":");
  }
  return field;
}

/** RFC 6376, 3.4.4: base64 of the SHA-256 of the body in its relaxed form. */
function relaxedBodyHash(body: Buffer): string {
  const end = withoutEmptyEnd(body);
  if (end === 0) return hash("sha256", "", "base64");
  const sum = createHash("sha256");
  for (let from = 0; from < end; ) {
    // Windows are whole lines, so each can be processed on its own.
    const lineEnd = from + windowBytes >= end ? -1 : body.indexOf("\r\n", from + windowBytes);
    const to = lineEnd === -1 || lineEnd + 2 > end ? end : lineEnd + 2;
    const lines = body.subarray(from, to);
    sum.update(hasWhiteSpace(lines) ? relaxedLines(lines) : lines);
    from = to;
  }
  return sum.update("\r\n").digest("base64");
}

/** The end of the body without trailing white space, empty lines and the line end before them. */
function withoutEmptyEnd(body: Buffer): number {
  let end = body.length;
  for (;;) {
    const last = body[end - 1];
    if (last === space || last === tab) end -= 1;
    else if (last === lineFeed && body[end - 2] === carriageReturn) end -= 2;
    else return end;
  }
}

/** Native searches: encoded files, which are most of a long mail, have no white space and pass at memory speed. */
function hasWhiteSpace(lines: Buffer): boolean {
  return lines.includes(space) || lines.includes(tab);
}

/** Lines without trailing white space, and with single spaces for all other runs of it. Linear for every input. */
function relaxedLines(lines: Buffer): Buffer {
  const relaxed = Buffer.allocUnsafe(lines.length);
  let length = 0;
  let gap = false;
  for (let index = 0; index < lines.length; index += 1) {
    const byte = lines[index]!;
    if (byte === space || byte === tab) {
      gap = true;
      continue;
    }
    if (gap && !(byte === carriageReturn && lines[index + 1] === lineFeed)) {
      relaxed[length] = space;
      length += 1;
    }
    gap = false;
    relaxed[length] = byte;
    length += 1;
  }
  return relaxed.subarray(0, length);
}

// A mailbox as callers write it: a plain address, or one behind a name (`Ada Lovelace <ada@example.com>`).

export interface Mailbox {
  /** Null for a plain address. */
  name: string | null;
  address: string;
}

/** A text in quotes, in which every quote is escaped. */
const quoted = /^"(?:[^"\\]|\\.)*"$/s;

/**
 * The parts of `ada@example.com` or `Ada <ada@example.com>`. The address is as written: whether it is one is checked elsewhere. Null if the
 * name, unless it is quoted, may hold an address of its own, because another reader would see another recipient.
 */
export function readMailbox(text: string): Mailbox | null {
  const trimmed = text.trim();
  const open = trimmed.lastIndexOf("<");
  if (open === -1 || !trimmed.endsWith(">")) return { name: null, address: trimmed };
  const written = trimmed.slice(0, open).trim();
  const isQuoted = quoted.test(written);
  if (!isQuoted && (/[<>]/.test(written) || (/[,;]/.test(written) && written.includes("@")))) return null;
  const name = isQuoted ? written.slice(1, -1).replace(/\\(.)/gs, "$1") : written;
  return { name: name === "" ? null : name, address: trimmed.slice(open + 1, -1).trim() };
}

/** The text between commas that are neither quoted nor in angle brackets, at most `max` pieces and the rest. */
export function piecesOf(text: string, max: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  let quoted = false;
  let inAngle = false;
  for (let at = 0; at < text.length && pieces.length < max; at += 1) {
    const character = text[at]!;
    if (quoted && character === "\\") at += 1;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === "<") inAngle = true;
    else if (character === ">") inAngle = false;
    else if (character === "," && !inAngle) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== "");
}

/** Addresses for replies in one mail. */
export const maxReplyTo = 10;

/**
 * The mailboxes of a text with commas between them, as a header has them. A text that is one mailbox is that one, even if its name has a
 * comma. Null if one of them is not plainly a mailbox.
 */
export function readMailboxes(text: string): Mailbox[] | null {
  const single = readMailbox(text);
  const pieces = single?.name == null ? piecesOf(text, maxReplyTo) : [text];
  const mailboxes = pieces.map(readMailbox);
  return mailboxes.every((mailbox) => mailbox !== null) ? mailboxes : null;
}

/** The mailbox as a text that `readMailbox` reads. The name is in quotes where it needs them. */
export function writeMailbox({ name, address }: Mailbox): string {
  if (name === null) return address;
  const isPlain = name === name.trim() && !/["\\<>()[\]@,;:]/.test(name);
  return `${isPlain ? name : `"${name.replace(/["\\]/g, "\\$&")}"`} <${address}>`;
}

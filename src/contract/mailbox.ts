// A mailbox as callers write it: a plain address, or one behind a name (`Ada Lovelace <ada@example.com>`).

interface Mailbox {
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

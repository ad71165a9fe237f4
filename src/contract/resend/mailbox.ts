// An address as Resend's clients write it: plain, or behind a name.

interface Mailbox {
  /** Null for a plain address. */
  name: string | null;
  address: string;
}

/** The parts of `ada@example.com` or `Ada <ada@example.com>`. The address is as written: whether it is one is checked elsewhere. */
export function readMailbox(text: string): Mailbox {
  const trimmed = text.trim();
  const open = trimmed.lastIndexOf("<");
  if (open === -1 || !trimmed.endsWith(">")) return { name: null, address: trimmed };
  const written = trimmed.slice(0, open).trim();
  const isQuoted = written.length > 1 && written.startsWith('"') && written.endsWith('"');
  const name = isQuoted ? written.slice(1, -1).replace(/\\(["\\])/g, "$1") : written;
  return { name: name === "" ? null : name, address: trimmed.slice(open + 1, -1).trim() };
}

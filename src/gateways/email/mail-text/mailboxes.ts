// The mailboxes of a header field (RFC 5322, 3.4) with their names decoded. What is not plainly a mailbox has no address, so that no two
// readers can see two addresses in it. Linear in the text.

import { readAddress } from "#contract/address.ts";
import { piecesOf } from "#contract/mailbox.ts";
import { decodedWords } from "#gateways/email/reports/mime-parts.ts";

interface ReadMailbox {
  /** Decoded, on one line; null if there is none. */
  name: string | null;
  /** As written; null if the text is not one plain mailbox. */
  address: string | null;
}

/** Mailboxes in one field that are read; an envelope has fewer recipients. */
const maxMailboxes = 500;

/** The mailboxes of a field, whose bytes are characters. */
export function readMailboxes(value: string): ReadMailbox[] {
  return piecesOf(value, maxMailboxes).map(mailboxOf);
}

function mailboxOf(piece: string): ReadMailbox {
  const open = piece.lastIndexOf("<");
  if (open === -1) return { name: null, address: plainAddress(piece) };
  const written = piece.slice(0, open).trim();
  const isPlain = piece.endsWith(">") && isPhrase(written);
  return {
    name: written === "" ? null : textOf(unquoted(written)),
    address: isPlain ? plainAddress(piece.slice(open + 1, -1)) : null,
  };
}

const plainAddress = (text: string): string | null => {
  const address = utf8Of(text.trim());
  return readAddress(address) === null ? null : address;
};

/** Words, or one quoted text: a name that holds no address of its own outside quotes. */
const isPhrase = (text: string): boolean => /^"(?:[^"\\]|\\.)*"$/.test(text) || /^[^"<>@:;,()]*$/.test(text);

const unquoted = (text: string): string =>
  /^".*"$/.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1") : text;

/** Bytes as characters, read as UTF-8. */
const utf8Of = (text: string): string => Buffer.from(text, "latin1").toString("utf8");

/** The text of a field: UTF-8 and encoded words decoded, on one line. */
export function textOf(value: string): string {
  return decodedWords(utf8Of(value))
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

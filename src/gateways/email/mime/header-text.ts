// Header fields of a mail in the form of RFC 5322, 2047 and 2231: ASCII only, no line over 998 bytes. Every input gives exactly one field:
// a control character becomes a space, never a line end.

import type { Mailbox } from "#contract/mailbox.ts";

/** Lines should not be longer (RFC 5322, 2.1.1), and must not be if they contain encoded words (RFC 2047, 2). */
const columns = 76;
/** `=?UTF-8?B?` and `?=`. */
const wordFrame = 12;
/** The longest word that is written unencoded: the limit of 998, less room for a name. */
const maxWordChars = 900;
/** A longer display name is encoded, because encoded words can be folded. */
const maxQuotedChars = 60;

/** A field of free text, such as Subject, ending in CRLF. */
export function textField(name: string, text: string): string {
  const line = withoutControls(text);
  if (line === "") return `${name}:\r\n`;
  const words = line.split(" ");
  const plain =
    /^[!-~]+(?: [!-~]+)*$/.test(line) &&
    !line.includes("=?") &&
    !words.some((word) => word.length > maxWordChars);
  return folded(name, plain ? words : encodedWords(line, name.length + 2));
}

/** A field of one mailbox, such as From, ending in CRLF. */
export const mailboxField = (name: string, mailbox: Mailbox): string => mailboxesField(name, [mailbox]);

/** A field of mailboxes, such as Cc, ending in CRLF. */
export function mailboxesField(name: string, mailboxes: readonly Mailbox[]): string {
  const words = mailboxes.flatMap((mailbox, index) => {
    const written = mailboxWords(mailbox, index === 0 ? name.length + 2 : 1);
    return index === mailboxes.length - 1 ? written : [...written.slice(0, -1), `${written.at(-1)},`];
  });
  return folded(name, words);
}

/** `used`: occupied columns of the line on which they begin. */
function mailboxWords({ address, name }: Mailbox, used: number): string[] {
  const phrase = withoutControls(name ?? "").trim();
  if (phrase === "") return [address];
  const quotable =
    /^[ -~]+$/.test(phrase) &&
    !phrase.includes("=?") &&
    !phrase.includes("  ") &&
    phrase.length <= maxQuotedChars;
  const words = quotable ? [`"${phrase.replace(/["\\]/g, "\\$&")}"`] : encodedWords(phrase, used);
  return [...words, `<${address}>`];
}

/**
 * `; filename="…"`, or encoded by RFC 2231 for other scripts, to append to a field's value. Some readers decode encoded
 * words even in a decoded value, and would show another name, so `=?` is replaced.
 */
export function parameter(name: string, value: string): string {
  const line = withoutControls(value).replaceAll("=?", "=_");
  if (/^[ -~]*$/.test(line) && !/["\\%]|^ | $| {2}/.test(line) && line.length <= maxQuotedChars) {
    return `;\r\n ${name}="${line}"`;
  }
  const sections: string[] = [];
  let section = "UTF-8''";
  for (const character of line) {
    // RFC 2231 allows these unencoded: attr-char of RFC 5987.
    const piece = /^[A-Za-z0-9!#$&+.^_`{|}~-]$/.test(character) ? character : percents(character);
    if (section.length + piece.length > maxQuotedChars) {
      sections.push(section);
      section = "";
    }
    section += piece;
  }
  sections.push(section);
  if (sections.length === 1) return `;\r\n ${name}*=${section}`;
  return sections.map((text, index) => `;\r\n ${name}*${index}*=${text}`).join("");
}

function percents(character: string): string {
  return Buffer.from(character)
    .toString("hex")
    .toUpperCase()
    .replace(/../g, (byte) => `%${byte}`);
}

/** `Name: word word`, folded before a word that does not fit. */
function folded(name: string, words: readonly string[]): string {
  let field = `${name}:`;
  let length = field.length;
  for (const word of words) {
    // Never before the first word: some readers treat such a field as empty.
    const fits = length + 1 + word.length <= columns || length === name.length + 1;
    field += fits ? ` ${word}` : `\r\n ${word}`;
    length = fits ? length + 1 + word.length : 1 + word.length;
  }
  return `${field}\r\n`;
}

/** Encoded words (RFC 2047) of a well-formed text. `used`: occupied columns of the first line. No character is split. */
export function encodedWords(text: string, used = 0): string[] {
  const words: string[] = [];
  let start = 0;
  let end = 0;
  let bytes = 0;
  let room = wordBytes(columns - used);
  const word = () => `=?UTF-8?B?${Buffer.from(text.slice(start, end)).toString("base64")}?=`;
  for (const character of text) {
    const size = utf8Size(character.codePointAt(0)!);
    if (bytes + size > room && end > start) {
      words.push(word());
      start = end;
      bytes = 0;
      room = wordBytes(columns - 1);
    }
    bytes += size;
    end += character.length;
  }
  words.push(word());
  return words;
}

/** How many bytes fit into one encoded word of `free` columns. A very long field name gets a longer line. */
function wordBytes(free: number): number {
  return Math.max(3, Math.floor((Math.min(free, 75) - wordFrame) / 4) * 3);
}

function utf8Size(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** Well-formed, with a space for every run of control characters. */
function withoutControls(text: string): string {
  return text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}

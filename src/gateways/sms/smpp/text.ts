// Text as octets of a short message, and back: the GSM default alphabet (3GPP TS 23.038), one septet in an octet or packed, ASCII, Latin-1
// and UCS-2. Which of them a `data_coding` means depends partly on the SMSC, so it is a setting.

import { gsmExtension, gsmSeptets } from "#contract/messages/segments.ts";

/** What `data_coding` 0 means at an SMSC. */
type DefaultAlphabet = "gsm7" | "latin1" | "ascii";

const escapeCode = 0x1b;

const septetOf = new Map<string, readonly number[]>();
const characterOf = new Map<number, string>();
const extensionOf = new Map<number, string>();
for (const [code, character] of gsmSeptets) {
  septetOf.set(character, [code]);
  characterOf.set(code, character);
}
for (const [code, character] of gsmExtension) {
  septetOf.set(character, [escapeCode, code]);
  extensionOf.set(code, character);
}

/** A text of the GSM alphabet, one septet in an octet. Null if it contains another character. */
export function toGsm(text: string): Buffer | null {
  const septets: number[] = [];
  for (const character of text) {
    const codes = septetOf.get(character);
    if (codes === undefined) return null;
    septets.push(...codes);
  }
  return Buffer.from(septets);
}

export function fromGsm(octets: Uint8Array): string {
  let text = "";
  for (let at = 0; at < octets.length; at += 1) {
    const code = octets[at] ?? 0;
    if (code === escapeCode) {
      at += 1;
      const next = octets[at];
      // An escape that the table does not know is shown as the character of the default table (section 6.2.1.1).
      if (next !== undefined) text += extensionOf.get(next) ?? characterOf.get(next) ?? " ";
    } else text += characterOf.get(code & 0x7f) ?? " ";
  }
  return text;
}

/** Septets packed into octets, after `fillBits` empty bits (one after a header of six octets). */
export function pack(septets: Uint8Array, fillBits: number): Buffer {
  const octets = Buffer.alloc(Math.ceil((septets.length * 7 + fillBits) / 8));
  let bit = fillBits;
  for (const septet of septets) {
    const at = bit >> 3;
    const shifted = (septet & 0x7f) << (bit & 7);
    octets[at] = (octets[at] ?? 0) | (shifted & 0xff);
    if (shifted > 0xff) octets[at + 1] = (octets[at + 1] ?? 0) | (shifted >> 8);
    bit += 7;
  }
  return octets;
}

export function unpack(octets: Uint8Array, fillBits: number): Buffer {
  const count = Math.max(0, Math.floor((octets.length * 8 - fillBits) / 7));
  const septets = Buffer.alloc(count);
  for (let at = 0; at < count; at += 1) {
    const bit = fillBits + at * 7;
    const low = octets[bit >> 3] ?? 0;
    const high = octets[(bit >> 3) + 1] ?? 0;
    septets[at] = ((low | (high << 8)) >> (bit & 7)) & 0x7f;
  }
  // Seven free bits at the end look like an `@`: 8n octets that hold 8n-1 characters (TS 23.038, 6.1.2.3.1).
  const isFilled = (count * 7 + fillBits) % 8 === 0 && count > 0 && septets[count - 1] === 0;
  return isFilled ? septets.subarray(0, count - 1) : septets;
}

export function toUcs2(text: string): Buffer {
  return Buffer.from(text, "utf16le").swap16();
}

/** May begin or end with half of a surrogate pair, whose other half is in the next part. */
export function fromUcs2(octets: Buffer): string {
  const even = Buffer.from(octets.subarray(0, octets.length & ~1));
  return even.swap16().toString("utf16le");
}

/** One octet for each character. Null if it contains a character outside the alphabet. */
export function toSingleOctets(text: string, alphabet: "latin1" | "ascii"): Buffer | null {
  const last = alphabet === "ascii" ? 0x7f : 0xff;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > last) return null;
  return Buffer.from(text, "latin1");
}

/** Sets of characters of SMPP 3.4 that are decoded by the name that the Encoding Standard gives them. */
const encodings = {
  jis: "shift_jis",
  cyrillic: "iso-8859-5",
  hebrew: "iso-8859-8",
  music: "iso-2022-jp",
  kanji: "euc-jp",
  korean: "euc-kr",
} as const;

type Alphabet = DefaultAlphabet | "ucs2" | "binary" | keyof typeof encodings;

/** SMPP 3.4, 5.2.19. */
const smppAlphabets: Readonly<Record<number, Alphabet>> = {
  1: "ascii",
  2: "binary",
  3: "latin1",
  4: "binary",
  5: "jis",
  6: "cyrillic",
  7: "hebrew",
  8: "ucs2",
  10: "music",
  13: "kanji",
  14: "korean",
};

/** The encoding of a received `data_coding`: by SMPP 3.4, and beyond it by TS 23.038 (section 4). */
function alphabetOf(dataCoding: number, defaultAlphabet: DefaultAlphabet): Alphabet {
  const known = smppAlphabets[dataCoding];
  if (known !== undefined) return known;
  if (dataCoding >= 0xf0) return (dataCoding & 0x04) === 0 ? "gsm7" : "binary";
  // Waiting messages: 0xc and 0xd in the GSM alphabet, 0xe in UCS-2.
  if (dataCoding >= 0xe0) return "ucs2";
  if (dataCoding >= 0xc0) return "gsm7";
  // General data coding, to be deleted (from 0x40 on) or not: bits 3 and 2.
  if (dataCoding > 0 && dataCoding < 0x80)
    return (["gsm7", "binary", "ucs2", defaultAlphabet] as const)[(dataCoding >> 2) & 3]!;
  return defaultAlphabet;
}

interface ReceivedText {
  dataCoding: number;
  /** Without the user data header. */
  octets: Buffer;
  /** Octets of that header with its length, 0 without one. */
  headerBytes: number;
}

/** The text of a received message. Data that is not text is shown as hexadecimal digits. */
export function decodeText(
  { dataCoding, octets, headerBytes }: ReceivedText,
  settings: { defaultAlphabet: DefaultAlphabet; packed: boolean },
): string {
  const alphabet = alphabetOf(dataCoding, settings.defaultAlphabet);
  switch (alphabet) {
    case "gsm7":
      return fromGsm(settings.packed ? unpack(octets, (7 - ((headerBytes * 8) % 7)) % 7) : octets);
    case "latin1":
    case "ascii":
      return octets.toString("latin1");
    case "ucs2":
      return fromUcs2(octets);
    case "binary":
      return octets.toString("hex");
    default:
      return new TextDecoder(encodings[alphabet]).decode(octets);
  }
}

// Measures a text as SMS: its encoding, how many segments it takes (its price), and where they are cut. A character missing from the table
// below, or one too many, changes what customers pay.

/** `gsm7`: the GSM 7-bit default alphabet, counted in septets. `ucs2`: UTF-16, counted in code units. */
export type Encoding = "gsm7" | "ucs2";

export interface Measure {
  encoding: Encoding;
  /** At least 1. Carriers refuse more than 255 (the part number is one octet); no limit is applied here. */
  segments: number;
  /** Septets (extension characters are two) or UTF-16 code units, without headers. */
  units: number;
}

// 3GPP TS 23.038 section 6.2.1, in code order; 0x1B (escape) is no character.
const defaultAlphabet =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

// Section 6.2.1.1: sent as escape and one more septet.
const extensionTable = "\f^{}\\[~]|€";
const extensionCodes = [0x0a, 0x14, 0x28, 0x29, 0x2f, 0x3c, 0x3d, 0x3e, 0x40, 0x65];

/** The default alphabet: each septet with its character. */
export const gsmSeptets: readonly (readonly [code: number, character: string])[] = Array.from(
  defaultAlphabet,
  (character, at) => [at < 0x1b ? at : at + 1, character],
);

/** The extension table: what follows the escape, with its character. */
export const gsmExtension: readonly (readonly [code: number, character: string])[] = Array.from(
  extensionTable,
  (character, at) => [extensionCodes[at] ?? 0, character],
);

// 140 octets. In a concatenated message the header with an 8-bit reference takes 6 octets of each part.
const limits = {
  gsm7: { single: 160, part: 153 },
  ucs2: { single: 70, part: 67 },
} as const;

// Septets by UTF-16 code unit, 0 for units outside the alphabet. The euro sign is the highest unit in it.
const septets = new Uint8Array(0x20ad);
for (const character of defaultAlphabet) septets[character.charCodeAt(0)] = 1;
for (const character of extensionTable) septets[character.charCodeAt(0)] = 2;

/**
 * Alphabet, segments and units of a text, as handsets and carriers count them (3GPP TS 23.040): 160 septets
 * or 70 code units alone, 153 or 67 in each part of a longer message.
 *
 * One character outside the default alphabet and its extension table makes the whole text UCS-2; that
 * includes `ç`, tab, NUL, escape, the no-break space and typographic quotes. Nothing is transliterated, and
 * national language shift tables (locking or single shift, TS 23.038 annex A) are not used: few providers
 * and handsets take them, so Turkish, Portuguese, Spanish or Indian letters beyond the default alphabet
 * count as UCS-2. A lone surrogate is one unit. The empty text is one segment.
 */
export function measure(text: string): Measure {
  const inSeptets = countSeptets(text);
  const encoding: Encoding = inSeptets === null ? "ucs2" : "gsm7";
  const units = inSeptets ?? text.length;
  if (units <= limits[encoding].single) return { encoding, segments: 1, units };
  let segments = 0;
  for (let at = 0; at < text.length; segments++) at = partEnd(text, at, encoding);
  return { encoding, segments, units };
}

/** Septets of a text; null if the GSM alphabet lacks one of its characters. */
function countSeptets(text: string): number | null {
  let units = 0;
  for (let at = 0; at < text.length; at++) {
    const cost = septets[text.charCodeAt(at)];
    // Undefined beyond the table's end.
    if (!cost) return null;
    units += cost;
  }
  return units;
}

/** The end of the part that begins at `start` and is filled as far as possible. */
export function partEnd(text: string, start: number, encoding: Encoding): number {
  const room = limits[encoding].part;
  if (encoding === "ucs2") {
    const end = start + room;
    if (end >= text.length) return text.length;
    return isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
  }
  let used = 0;
  let end = start;
  while (end < text.length) {
    used += septets[text.charCodeAt(end)] ?? 0;
    if (used > room) break;
    end++;
  }
  return end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

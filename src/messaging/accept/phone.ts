// Reads phone numbers as people write them. Providers get what `toRecipient` returns, so a wrong guess sends a message to
// the wrong person: an ambiguous number is null.

import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/min";

interface PhoneDigits {
  /** Written with a plus or a leading `00`. */
  international: boolean;
  /** 3 to 15 ASCII digits, without the plus or the `00`. */
  digits: string;
}

// Marks that copy and paste brings along from address books: soft hyphen, zero-width, bidi, byte order mark.
const invisible = /[\u00AD\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/;
// Spaces, dashes (and the minus sign), the full-width dot. Without line breaks, which would join the numbers of two
// lines into one.
const separator = /[\p{Zs}\p{Pd}\u2212\uFF0E]/u;
const asciiSeparators = "\t .-";
const decimalDigit = /\p{Nd}/u;

// In "+49 (0)170" the zero is for callers inside the country. Country codes of one or two digits are listed,
// all others have three.
const shortCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;
// Italy, San Marino, Côte d'Ivoire, Benin, Congo: numbers themselves begin with a zero (+39 06 …, +225 07 …), which
// some people bracket out of habit.
const zeroBelongs = /^(?:39|225|229|242|378)/;

/**
 * The digits of a number as written. Spaces, dots, dashes, parentheses and invisible formatting characters
 * are dropped, digits of any script become ASCII, and one leading plus or `00` is noted and dropped, as is a
 * trunk zero in parentheses after the country code (`+49 (0)170 …`). Null for anything else in it (letters,
 * an extension, a slash, a second plus), and when fewer than 3 or more than 15 digits remain. `00` always
 * means international, also where a country's own prefix is another one.
 */
export function phoneDigits(raw: string): PhoneDigits | null {
  const written = scan(raw);
  if (written === null) return null;
  const doubleZero = !written.plus && written.digits.startsWith("00");
  const international = written.plus || doubleZero;
  let digits = doubleZero ? written.digits.slice(2) : written.digits;
  if (international && written.zeroAt !== null) {
    const at = doubleZero ? written.zeroAt - 2 : written.zeroAt;
    const afterCode = at === (shortCode.exec(digits)?.[0].length ?? 3);
    if (afterCode && !zeroBelongs.test(digits)) digits = digits.slice(0, at) + digits.slice(at + 1);
  }
  return digits.length >= 3 && digits.length <= 15 ? { international, digits } : null;
}

interface Written {
  plus: boolean;
  digits: string;
  /** The index in `digits` of the first zero that is alone in a pair of parentheses. */
  zeroAt: number | null;
}

function scan(raw: string): Written | null {
  let plus = false;
  let digits = "";
  let opened = -1;
  let zeroAt: number | null = null;
  for (let at = 0; at < raw.length; ) {
    const code = raw.codePointAt(at)!;
    at += code > 0xffff ? 2 : 1;
    if (code >= 0x30 && code <= 0x39) digits += String.fromCharCode(code);
    else if (code === 0x2b || code === 0xff0b) {
      if (plus || digits !== "") return null;
      plus = true;
    } else if (code === 0x28 || code === 0xff08) opened = digits.length;
    else if (code === 0x29 || code === 0xff09) {
      if (zeroAt === null && opened === digits.length - 1 && digits.endsWith("0")) zeroAt = opened;
    } else {
      const character = String.fromCodePoint(code);
      if (code < 0x80) {
        if (!asciiSeparators.includes(character)) return null;
      } else if (decimalDigit.test(character)) digits += digitValue(code);
      else if (!separator.test(character) && !invisible.test(character)) return null;
    }
    // 15 digits, the `00`, and a zero in parentheses: a longer number is invalid.
    if (digits.length > 18) return null;
  }
  return { plus, digits, zeroAt };
}

/** Unicode keeps decimal digits in runs from zero to nine, some runs directly after another. */
function digitValue(code: number): number {
  let first = code;
  while (decimalDigit.test(String.fromCodePoint(first - 1))) first--;
  return (code - first) % 10;
}

const recipientShape = /^\+[1-9]\d{6,14}$/;

/**
 * The recipient that a written number means: E.164 with its plus, or a short code of 3 to 6 digits as it is. Null for
 * an invalid number (422).
 *
 * - With a plus or `00` it is international and stays as it is: 7 to 15 digits (7 on Niue, the shortest
 *   there are), the first not 0. Unassigned ranges pass: the provider judges them, and numbering plans change
 *   faster than this software.
 * - 3 to 6 digits without a prefix are a short code in every country.
 * - Everything else is a national number of `country` (ISO 3166 alpha-2), read by libphonenumber: trunk
 *   prefixes go, the country's own international prefix is understood, and a number that is invalid or too
 *   short for the country passes if it can be read at all and fits E.164. `491701234567` without a plus is
 *   such a national number. Null without a country, or with one that libphonenumber does not know.
 */
export function toRecipient(raw: string, country: string | null): { recipient: string } | null {
  const read = phoneDigits(raw);
  if (read === null) return null;
  const { digits } = read;
  // No library here: it takes 5 µs a number, and bulk requests are nearly all international.
  if (read.international) return recipientOf(`+${digits}`);
  if (digits.length <= 6) return { recipient: digits };
  if (country === null || !isSupportedCountry(country)) return null;
  return recipientOf(parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false })?.number);
}

function recipientOf(number: string | undefined): { recipient: string } | null {
  return number !== undefined && recipientShape.test(number) ? { recipient: number } : null;
}

// Reads phone numbers as people write them. Providers receive what `toRecipient` returns, so a wrong guess sends a message to the wrong
// person: an ambiguous number is null. docs/phone-numbers.md has the rules as a table.

// The larger metadata: the smaller one does not know which numbers are mobile numbers.
import {
  type CountryCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";

const recipientShape = /^\+[1-9]\d{6,14}$/;

interface PhoneDigits {
  /** Written with a plus or a leading `00`. */
  international: boolean;
  /** Written with a leading `00`. */
  doubleZero: boolean;
  /** 3 to 15 ASCII digits, without the plus or the `00`. */
  digits: string;
}

// Characters that copy and paste brings along from address books: soft hyphen, zero-width, bidi, byte order mark.
const invisible = /[\u00AD\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/;
// Spaces, dashes and the minus sign. Without line breaks, which would join the numbers of two
// lines into one.
const separator = /[\p{Zs}\p{Pd}\u2212]/u;
const asciiSeparators = "\t -";
const decimalDigit = /\p{Nd}/u;

// In "+49 (0)170" the zero is for callers inside the country. Country codes of one or two digits are listed; all others have three.
const shortCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;
// Italy, San Marino, Côte d'Ivoire, Benin, Congo: the numbers themselves begin with a zero (+39 06 …, +225 07 …), which some people put in
// parentheses out of habit.
const zeroBelongs = /^(?:39|225|229|242|378)/;

/**
 * The digits of a written number. Drops spaces, dots, dashes, parentheses and invisible formatting characters, converts digits of any
 * script to ASCII, and notes and drops one leading plus or `00`, and a trunk zero in parentheses after the country code (`+49 (0)170 …`).
 * Null if it contains anything else (letters, an extension, a slash, a second plus), for a decimal number, and if fewer than 3 or more than
 * 15 digits remain.
 */
export function phoneDigits(raw: string): PhoneDigits | null {
  const written = scan(raw);
  if (written === null || isDecimal(written)) return null;
  const doubleZero = !written.plus && written.digits.startsWith("00");
  const international = written.plus || doubleZero;
  let digits = doubleZero ? written.digits.slice(2) : written.digits;
  if (international && written.zeroAt !== null) {
    const at = doubleZero ? written.zeroAt - 2 : written.zeroAt;
    const afterCode = at === (shortCode.exec(digits)?.[0].length ?? 3);
    if (afterCode && !zeroBelongs.test(digits)) digits = digits.slice(0, at) + digits.slice(at + 1);
  }
  return digits.length >= 3 && digits.length <= 15 ? { international, doubleZero, digits } : null;
}

/**
 * Whether a spreadsheet made the number decimal, as it does with a column that has an empty cell (`4915123456789.0`): only zeros follow its
 * single dot, or one last digit follows its last dot. French numbers have more dots (`06.12.34.56.00`).
 */
function isDecimal({ dots, digits, dotAt }: Written): boolean {
  if (dotAt === null || dotAt === digits.length) return false;
  return digits.length - dotAt === 1 || (dots === 1 && /^0+$/.test(digits.slice(dotAt)));
}

interface Written {
  plus: boolean;
  digits: string;
  /** The index in `digits` of the first zero in a pair of parentheses of its own. */
  zeroAt: number | null;
  dots: number;
  /** The index in `digits` of the first one after the last dot. */
  dotAt: number | null;
}

function scan(raw: string): Written | null {
  let plus = false;
  let digits = "";
  let opened = -1;
  let zeroAt: number | null = null;
  let dots = 0;
  let dotAt: number | null = null;
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
    } else if (code === 0x2e || code === 0xff0e) {
      dots++;
      dotAt = digits.length;
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
  return { plus, digits, zeroAt, dots, dotAt };
}

/** Unicode keeps decimal digits in runs from zero to nine, some runs directly after another. */
function digitValue(code: number): number {
  let first = code;
  while (decimalDigit.test(String.fromCodePoint(first - 1))) first--;
  return (code - first) % 10;
}

/**
 * The recipient that a written number means: E.164 with its plus, or a short code of 3 to 6 digits as it is. Null for
 * an invalid or ambiguous number (422).
 *
 * - With a plus it is international and stays as it is: 7 to 15 digits (7 on Niue, the shortest there are), the first
 *   not 0. Unassigned ranges pass: the provider judges them, and numbering plans change faster than this software.
 * - `00` is a plus, unless that gives no valid number and the prefix for calls abroad of `country` (ISO 3166 alpha-2)
 *   gives one (0011 in Australia).
 * - 3 to 6 digits without a prefix are a short code in every country.
 * - With a leading zero it is a national number of `country`. Trunk prefixes go, the country's own international prefix
 *   is understood, and an unassigned number passes when its length is possible in the country.
 * - Other digits have two readings, with their country code and without it; `readingOf` chooses.
 *
 * Without a country, or with one that libphonenumber does not know, nothing is a national number.
 */
export function toRecipient(raw: string, country: string | null): { recipient: string } | null {
  const read = phoneDigits(raw);
  if (read === null) return null;
  const { digits } = read;
  const home = country !== null && isSupportedCountry(country) ? country : null;
  if (read.international) {
    const abroad = read.doubleZero && home !== null ? dialledAbroad(digits, home) : null;
    // Without the library for a plus: it takes 5 µs a number, and bulk requests are nearly all international.
    return recipientOf(abroad ?? `+${digits}`);
  }
  if (digits.length <= 6) return { recipient: digits };
  if (digits.startsWith("0")) {
    const national = home === null ? undefined : nationalReading(digits, home);
    return national?.isPossible() ? recipientOf(national.number) : null;
  }
  const { reading } = readingOf(digits, home);
  return reading === undefined ? null : recipientOf(reading.number);
}

/** The sender of a message. */
export interface Sender {
  /** In the form that messages use; the original text if it is not a valid number. */
  sender: string;
  /** Numbers that the text may mean, most likely first: the one that the gateway wrote to is the sender. */
  readings: readonly string[];
}

/**
 * The sender that a written number means. Networks omit the plus (SMPP's type of number 0), and an invented sender hides the real one, so
 * numbers that `country` does not have are not used.
 */
export function senderOf(raw: string, country: string | null): Sender {
  const read = phoneDigits(raw);
  const certain = (sender: string | undefined) => ({ sender: sender ?? raw, readings: [] });
  if (read === null || read.international || read.digits.length <= 6)
    return certain(toRecipient(raw, country)?.recipient);
  const { digits } = read;
  const home = country !== null && isSupportedCountry(country) ? country : null;
  const national = home === null ? undefined : nationalReading(digits, home);
  const chosen = digits.startsWith("0") ? national : readingOf(digits, home).reading;
  const readings = [
    chosen,
    digits.startsWith("0") ? undefined : parsePhoneNumberFromString(`+${digits}`),
    national,
  ];
  const numbers = readings.flatMap((reading) => recipientOf(reading?.number ?? "")?.recipient ?? []);
  return { sender: chosen?.isValid() ? chosen.number : raw, readings: [...new Set(numbers)] };
}

/** What to change in a number that `toRecipient` refuses, in one sentence; empty if there is nothing to say. */
export function adviceOn(raw: string, country: string | null): string {
  const written = scan(raw);
  if (written === null) return "";
  if (isDecimal(written)) return "Write it without decimals.";
  if (country === null && !written.plus && written.digits !== "")
    return "The account has no country, so a number needs its international form, such as +4915123456789.";
  const read = phoneDigits(raw);
  if (read === null || read.international || read.digits.length <= 6) return "";
  const home = country !== null && isSupportedCountry(country) ? country : null;
  const { between } = readingOf(read.digits, home);
  return between === null
    ? "Write it with a plus and its country code."
    : `It can be ${between[0]} or ${between[1]}: write it with a plus and its country code.`;
}

/** The readings of digits without a plus, and the chosen one; `between`: both are plausible. */
interface Choice {
  reading: PhoneNumber | undefined;
  between: readonly [international: string, national: string] | null;
}

/**
 * Digits without a plus and without a leading zero, as other APIs write international numbers (`4915123456789`) and
 * spreadsheets leave national ones (`15123456789`). Where a country's plan is open, nearly every foreign number is a
 * valid landline of it too, so a reading as a mobile number comes first:
 *
 * | with its country code | national | result |
 * |---|---|---|
 * | mobile | mobile, or fixed line or mobile | refused |
 * | mobile | another valid number behind a trunk prefix (8 in Russia) | refused |
 * | mobile | another valid number, or none | with its country code |
 * | fixed line or mobile (North America) | mobile | national |
 * | fixed line or mobile | fixed line or mobile | refused |
 * | fixed line or mobile | another valid number, or none | with its country code |
 * | a valid number of another kind | mobile, or fixed line or mobile | national |
 * | a valid number of another kind | another valid number, or none | refused |
 * | none | valid | national |
 * | none | none | refused |
 *
 * Two readings that are one number are that number.
 */
function readingOf(digits: string, country: CountryCode | null): Choice {
  const abroad = parsePhoneNumberFromString(`+${digits}`);
  const national = country === null ? undefined : nationalReading(digits, country);
  if (abroad !== undefined && abroad.number === national?.number) return chosen(abroad);
  const withCode = weightOf(abroad);
  const without = weightOf(national);
  const hasTrunkPrefix = national !== undefined && String(national.nationalNumber).length < digits.length;
  if (withCode === "none") return without === "none" ? neither : chosen(national);
  if (without === "none") return isMobile(withCode) ? chosen(abroad) : neither;
  if (isMobile(without)) {
    const isCertain = !isMobile(withCode) || (withCode === "either" && without === "mobile");
    return isCertain ? chosen(national) : ambiguous(abroad, national);
  }
  return isMobile(withCode) && !hasTrunkPrefix ? chosen(abroad) : ambiguous(abroad, national);
}

const neither: Choice = { reading: undefined, between: null };
const chosen = (reading: PhoneNumber | undefined): Choice => ({ reading, between: null });
const ambiguous = (abroad: PhoneNumber | undefined, national: PhoneNumber | undefined): Choice => ({
  reading: undefined,
  between: abroad && national ? [abroad.number, national.number] : null,
});

/** `either`: the plan does not distinguish mobile numbers from landlines. `other`: another valid number. */
type Weight = "none" | "other" | "either" | "mobile";

const isMobile = (weight: Weight) => weight === "mobile" || weight === "either";

function weightOf(reading: PhoneNumber | undefined): Weight {
  if (reading === undefined || !reading.isValid()) return "none";
  const type = reading.getType();
  if (type === "MOBILE") return "mobile";
  return type === "FIXED_LINE_OR_MOBILE" ? "either" : "other";
}

/** As dialled within the country. */
function nationalReading(digits: string, country: CountryCode): PhoneNumber | undefined {
  return parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
}

/** A number after `00` that is valid only with the country's own international prefix, which begins with these zeros. */
function dialledAbroad(digits: string, country: CountryCode): string | null {
  if (parsePhoneNumberFromString(`+${digits}`)?.isValid() === true) return null;
  const dialled = nationalReading(`00${digits}`, country);
  return dialled?.isValid() === true ? dialled.number : null;
}

function recipientOf(number: string): { recipient: string } | null {
  return recipientShape.test(number) ? { recipient: number } : null;
}

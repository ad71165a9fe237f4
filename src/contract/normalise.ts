// Normalises text before any rule sees it: Laravel's TrimStrings and ConvertEmptyStringsToNull. Trimming is written by hand: a regular
// expression for the end of a text is quadratic on a long run of spaces inside.

/**
 * Whether Laravel's trim removes this UTF-16 unit from an end: Unicode white space, NUL, and the invisible U+200B, U+200E and U+FEFF
 * (Illuminate\Support\Str::trim, `\s` in PCRE's Unicode mode).
 */
function isBlank(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0;
  if (unit < 0x85) return false;
  if (unit >= 0x2000 && unit <= 0x200b) return true;
  switch (unit) {
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x180e:
    case 0x200e:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
    case 0xfeff:
      return true;
    default:
      return false;
  }
}

/** The text without blanks at its ends; blanks inside are kept. */
export function trimmed(text: string): string {
  let end = text.length;
  let start = 0;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return end - start === text.length ? text : text.slice(start, end);
}

/** A value in the form that the rules see: text trimmed, and empty text or an absent value as null. */
export function trimOrNull(value: unknown): unknown {
  if (typeof value !== "string") return value === undefined ? null : value;
  const text = trimmed(value);
  return text === "" ? null : text;
}

/**
 * Whether the text can be stored and sent unchanged: no NUL (PostgreSQL's text cannot contain one) and no half of a surrogate pair (it has
 * no UTF-8 form, so it would silently become another character).
 */
export function isSendable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Whether the text has more than `max` code points. */
export function exceeds(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > max * 2) return true;
  let points = 0;
  for (let at = 0; at < text.length; at++) {
    points++;
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at++;
  }
  return points > max;
}

/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value of JSON is an object, and not an array. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Edits JSON objects as text without rebuilding them: members of the top level are found, replaced, added and dropped, and every other byte
// is unchanged. Numbers beyond double precision, `-0`, escapes and the order of keys survive, unlike with parsing and printing. For text
// that JSON.parse accepts; with other text the work is still bounded, and the result is meaningless.

/** A member of the top level: its key, and the positions of the member and its value in the text. */
interface Member {
  key: string;
  /** The key's opening quote. */
  start: number;
  valueStart: number;
  /** The position after the value. */
  end: number;
}

const quote = 34;
const backslash = 92;
const open = 123;
const close = 125;
const openList = 91;
const closeList = 93;
const comma = 44;
const colon = 58;

const isSpace = (unit: number) => unit === 32 || unit === 10 || unit === 13 || unit === 9;

/** The position after the string that opens at `at`. */
function skipString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  for (;;) {
    if (end === -1) return text.length;
    // The quote is escaped when an odd number of backslashes precedes it.
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
}

/** Characters at which a scan inside a value must stop; all others may be skipped. */
const special = /["[\]{}]/g;
/** After this many units without one of these, the regular expression finds the next: it is three times as fast. */
const plainRun = 16;

/** The position after the value that begins at `at`. */
export function valueEnd(text: string, at: number): number {
  let depth = 0;
  let plain = 0;
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (depth > 0 && unit !== quote && unit < openList) {
      plain += 1;
      if (plain < plainRun) continue;
      special.lastIndex = i;
      if (!special.test(text)) return text.length;
      i = special.lastIndex - 2;
      plain = 0;
    } else if (unit === quote) {
      i = skipString(text, i) - 1;
      if (depth === 0) return i + 1;
    } else if (unit === open || unit === openList) depth += 1;
    else if (unit === close || unit === closeList) {
      if (depth === 0) return i;
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (depth === 0 && (unit === comma || isSpace(unit))) return i;
  }
  return text.length;
}

/** The members of the object in the text, in order, including repeated keys; none if the text is not an object. */
export function membersOf(text: string): Member[] {
  let at = 0;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return objectAt(text, at).members;
}

/** The end of a value that begins at `valueStart`. */
type Ends = (key: string, valueStart: number) => number;

/**
 * The object that opens at `at`, and its end; for text that was not parsed before. `max`: stops after this many members. `endOf` finds the
 * end of a member's value, if the caller needs it on the way.
 */
export function objectAt(
  text: string,
  at: number,
  max = Number.POSITIVE_INFINITY,
  endOf: Ends = (_key, valueStart) => valueEnd(text, valueStart),
): { members: Member[]; end: number } {
  const members: Member[] = [];
  if (text.charCodeAt(at) !== open) return { members, end: valueEnd(text, at) };
  let i = at + 1;
  for (;;) {
    while (i < text.length && text.charCodeAt(i) !== quote) {
      if (text.charCodeAt(i) === close) return { members, end: i + 1 };
      i += 1;
    }
    if (i >= text.length || members.length >= max) return { members, end: text.length };
    const start = i;
    i = skipString(text, i);
    const raw = text.slice(start, i);
    const key = raw.includes("\\") ? unescaped(raw) : raw.slice(1, -1);
    while (i < text.length && text.charCodeAt(i) !== colon) i += 1;
    i += 1;
    while (isSpace(text.charCodeAt(i))) i += 1;
    const valueStart = i;
    i = endOf(key, valueStart);
    members.push({ key, start, valueStart, end: i });
  }
}

function unescaped(raw: string): string {
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw;
  }
}

/**
 * Where the items of the list that opens at `at` are, and its end; for text that was not parsed before. `max`: stops after this many items.
 * `endOf` finds the end of an item.
 */
export function listAt(
  text: string,
  at: number,
  max: number,
  endOf: (start: number) => number = (start) => valueEnd(text, start),
): { items: { start: number; end: number }[]; end: number } {
  const items: { start: number; end: number }[] = [];
  if (text.charCodeAt(at) !== openList) return { items, end: valueEnd(text, at) };
  let i = at + 1;
  for (;;) {
    while (isSpace(text.charCodeAt(i)) || text.charCodeAt(i) === comma) i += 1;
    if (text.charCodeAt(i) === closeList) return { items, end: i + 1 };
    const end = i < text.length && items.length < max ? endOf(i) : i;
    if (end === i) return { items, end: text.length };
    items.push({ start: i, end });
    i = end;
  }
}

/** Whether a key, of letters only, occurs at most once on the top level. Reads all members only if a search is not sufficient. */
export function hasSingleKey(text: string, key: string): boolean {
  const quoted = JSON.stringify(key);
  const first = text.indexOf(quoted);
  // Without an escape that could encode it differently, a text that contains it at most once is unambiguous.
  if (!text.includes("\\u") && (first === -1 || text.indexOf(quoted, first + 1) === -1)) return true;
  let count = 0;
  for (const member of membersOf(text)) if (member.key === key) count += 1;
  return count <= 1;
}

/**
 * The object with some of its members changed: a value's JSON text to set (replaced in place, else added
 * at the end), or undefined to drop it. A key that occurs more than once is changed everywhere.
 */
export function withMembers(text: string, changes: Readonly<Record<string, string | undefined>>): string {
  return withSingleMember(text, changes) ?? withFoundMembers(text, changes);
}

/** Keys that a text spells in one way, unless it escapes letters. */
const plainKey = /^\w+$/;

/**
 * The same by searching for the keys: where one of them is found once, before any nested value, and the others are not in the text at all.
 * Null for any other text. Nearly all requests and answers are changed so, whose members need not be read then.
 */
function withSingleMember(
  text: string,
  changes: Readonly<Record<string, string | undefined>>,
): string | null {
  // A key might be spelt differently.
  if (text.charCodeAt(0) !== open || text.includes("\\u")) return null;
  let result: string | null = null;
  let added = "";
  for (const key in changes) {
    const value = changes[key];
    if (!plainKey.test(key)) return null;
    const quoted = `"${key}"`;
    const at = text.indexOf(quoted);
    if (at === -1) {
      if (value !== undefined) added += `,${quoted}:${value}`;
      continue;
    }
    if (result !== null || value === undefined || text.indexOf(quoted, at + quoted.length) !== -1)
      return null;
    if (text.lastIndexOf("{", at) !== 0 || text.lastIndexOf("[", at) !== -1) return null;
    let valueStart = at + quoted.length;
    while (isSpace(text.charCodeAt(valueStart))) valueStart += 1;
    // Otherwise it is a value.
    if (text.charCodeAt(valueStart) !== colon) return null;
    valueStart += 1;
    while (isSpace(text.charCodeAt(valueStart))) valueStart += 1;
    // An escape before it may hide where a string ends.
    if (text.lastIndexOf("\\", at) !== -1) return null;
    result = text.slice(0, valueStart) + value + text.slice(valueEnd(text, valueStart));
  }
  if (result === null || added === "") return result;
  const at = result.lastIndexOf("}");
  return result.slice(0, at) + added + result.slice(at);
}

function withFoundMembers(text: string, changes: Readonly<Record<string, string | undefined>>): string {
  const members = membersOf(text);
  const found: string[] = [];
  let result = "";
  let copied = 0;
  let memberCount = 0;
  for (let i = 0; i < members.length; i++) {
    const { key, start, valueStart, end } = members[i]!;
    if (!Object.hasOwn(changes, key)) {
      memberCount += 1;
      continue;
    }
    found.push(key);
    const value = changes[key];
    if (value !== undefined) {
      memberCount += 1;
      result += text.slice(copied, valueStart) + value;
      copied = end;
      continue;
    }
    // With the comma after it, or, for the last one, the comma before it.
    const next = members[i + 1];
    if (next) {
      result += text.slice(copied, start);
      copied = next.start;
    } else {
      result = (result + text.slice(copied, start)).replace(/,\s*$/, "");
      copied = end;
    }
  }
  result += text.slice(copied);
  let added = "";
  for (const key in changes) {
    const value = changes[key];
    if (value === undefined || found.includes(key)) continue;
    added += `${memberCount === 0 && added === "" ? "" : ","}${JSON.stringify(key)}:${value}`;
  }
  if (added === "") return result;
  const at = result.lastIndexOf("}");
  return result.slice(0, at) + added + result.slice(at);
}

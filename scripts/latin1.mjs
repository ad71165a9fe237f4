// Rewrites a bundle so that it has no character above U+00FF. One such character makes V8 keep the whole text of a file in two bytes a
// character, which for the service is 3 MiB of memory.

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A number as source maps write it: base64 digits of five bits, the lowest first, with the sign in the lowest bit. */
function encoded(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

/** The number that a segment begins with, and the rest of the segment. */
function firstNumber(segment) {
  let number = 0;
  let shift = 0;
  for (let at = 0; ; at += 1, shift += 5) {
    const digit = digits.indexOf(segment[at]);
    number |= (digit & 31) << shift;
    if (digit < 32) return [number & 1 ? -(number >>> 1) : number >>> 1, segment.slice(at + 1)];
  }
}

/** The mappings of a line whose characters at `columns` became five characters longer each. */
function shifted(mappings, columns) {
  let before = 0;
  let after = 0;
  let passed = 0;
  return mappings
    .split(",")
    .map((segment) => {
      if (segment === "") return segment;
      const [step, rest] = firstNumber(segment);
      before += step;
      while (passed < columns.length && columns[passed] < before) passed += 1;
      const column = before + 5 * passed;
      const text = encoded(column - after) + rest;
      after = column;
      return text;
    })
    .join(",");
}

/**
 * The code with escapes in place of such characters, and its source map to match. Throws an error where an escape would mean something
 * else: behind a backslash, and in raw literals.
 */
export function asLatin1(code, map) {
  if (/\bString\.raw`[^`]*[^\0-\xff`]/.test(code))
    throw new Error("A raw literal has a character above U+00FF.");
  const lines = code.split("\n");
  const mappings = map.mappings.split(";");
  for (const [at, line] of lines.entries()) {
    const found = [...line.matchAll(/[^\0-\xff]/g)].map(({ index }) => index);
    if (found.length === 0) continue;
    if (/(?<!\\)(?:\\\\)*\\[^\0-\xff]/.test(line))
      throw new Error("A character above U+00FF is escaped by a backslash.");
    lines[at] = line.replaceAll(
      /[^\0-\xff]/g,
      (wide) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    mappings[at] = shifted(mappings[at] ?? "", found);
  }
  return { code: lines.join("\n"), map: { ...map, mappings: mappings.join(";") } };
}

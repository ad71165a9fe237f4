// How deep a JSON text nests, judged on its bytes before anything is parsed: five million brackets cost
// milliseconds here, and a stack or gigabytes of arrays elsewhere.

const quote = 0x22;
const backslash = 0x5c;

/**
 * Whether objects and lists nest deeper than `limit` levels. Brackets inside strings do not count. The text
 * need not be valid JSON; one that is not gets its answer from the parser.
 */
export function nestsDeeper(json: Uint8Array, limit: number): boolean {
  const length = json.length;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const byte = json[at]!;
    if (byte === quote) {
      at++;
      // In valid UTF-8 neither byte can be part of a longer character.
      for (let inside = json[at]; at < length && inside !== quote; inside = json[at]) {
        at += inside === backslash ? 2 : 1;
      }
      continue;
    }
    // { is 0x7b and [ is 0x5b, } is 0x7d and ] is 0x5d: one bit apart.
    const folded = byte | 0x20;
    if (folded === 0x7b) {
      if (++depth > limit) return true;
    } else if (folded === 0x7d) depth--;
  }
  return false;
}

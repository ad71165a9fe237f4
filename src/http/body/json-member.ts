// Finds one member of a JSON object in its bytes without creating any values: the body of an unknown client is parsed only after its key
// was checked. Agrees with JSON.parse about which text is JSON and which of two equal members counts.

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openObject = 0x7b;
const openList = 0x5b;
const minus = 0x2d;
const zero = 0x30;

function skipSpace(json: Uint8Array, from: number): number {
  let at = from;
  for (let byte = json[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = json[at])
    at++;
  return at;
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= zero && byte <= 0x39;

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const letter = byte | 0x20;
  return isDigit(byte) || (letter >= 0x61 && letter <= 0x66);
}

/** Bytes that may follow a backslash: `"`, `\`, `/`, b, f, n, r, t, and u before four digits. */
const escapes = new Set([...'"\\/bfnrtu'].map((letter) => letter.charCodeAt(0)));

/** The position after the string that opens at `at`; -1 if there is no string. */
function stringEnd(json: Uint8Array, at: number): number {
  if (json[at] !== quote) return -1;
  for (let next = at + 1; next < json.length; next++) {
    const byte = json[next]!;
    if (byte === quote) return next + 1;
    if (byte < 0x20) return -1;
    if (byte !== backslash) continue;
    const escaped = json[++next];
    if (escaped === undefined || !escapes.has(escaped)) return -1;
    if (escaped !== 0x75) continue;
    for (let digit = 0; digit < 4; digit++) if (!isHex(json[++next])) return -1;
  }
  return -1;
}

/** The position after the digits from `at` on; -1 if there are none. */
function digitsEnd(json: Uint8Array, at: number): number {
  let end = at;
  while (isDigit(json[end])) end++;
  return end === at ? -1 : end;
}

function numberEnd(json: Uint8Array, from: number): number {
  const at = json[from] === minus ? from + 1 : from;
  let end = json[at] === zero ? at + 1 : digitsEnd(json, at);
  if (end !== -1 && json[end] === 0x2e) end = digitsEnd(json, end + 1);
  if (end !== -1 && (json[end]! | 0x20) === 0x65) {
    const sign = json[end + 1];
    end = digitsEnd(json, end + (sign === 0x2b || sign === minus ? 2 : 1));
  }
  return end;
}

const words = ["true", "false", "null"].map((word) => Buffer.from(word));

/** The position after the string, number or word at `at`; -1 if it is something else. */
function scalarEnd(json: Buffer, at: number): number {
  const byte = json[at];
  if (byte === quote) return stringEnd(json, at);
  if (byte === minus || isDigit(byte)) return numberEnd(json, at);
  for (const word of words)
    if (byte === word[0] && json.subarray(at, at + word.length).equals(word)) return at + word.length;
  return -1;
}

/** Whether the string between the two is the name, even if it is spelled with escapes. */
function isName(json: Buffer, start: number, end: number, name: Buffer): boolean {
  const key = json.subarray(start + 1, end - 1);
  if (!key.includes(backslash)) return key.equals(name);
  // An escape has six bytes at most.
  if (key.length > name.length * 6) return false;
  return Buffer.from(JSON.parse(json.toString("utf8", start, end)) as string).equals(name);
}

/**
 * The bytes of the value that JSON.parse would return for the top level's member of this name: of several, the last. Null if the text is
 * not JSON, not an object, has no such member, or nests deeper than `maxDepth` levels. The bytes must be UTF-8.
 */
export function findMember(json: Buffer, name: string, maxDepth: number): Buffer | null {
  const nameBytes = Buffer.from(name);
  const open = new Uint8Array(maxDepth);
  let depth = 0;
  let found: Buffer | null = null;
  let isNamed = false;
  let valueStart = 0;
  let at = skipSpace(json, 0);

  /** Reads a key and its colon; false if there are none. */
  function takeKey(): boolean {
    const start = skipSpace(json, at);
    const end = stringEnd(json, start);
    if (end === -1) return false;
    if (depth === 1) isNamed = isName(json, start, end, nameBytes);
    at = skipSpace(json, end);
    if (json[at] !== colon) return false;
    at = skipSpace(json, at + 1);
    if (depth === 1) valueStart = at;
    return true;
  }

  for (;;) {
    const byte = json[at];
    let ended = true;
    if (byte === openObject || byte === openList) {
      if (depth === maxDepth) return null;
      open[depth++] = byte;
      at = skipSpace(json, at + 1);
      // Each closing bracket is two behind its opening one.
      ended = json[at] === byte + 2;
      if (ended) {
        depth--;
        at++;
      } else if (byte === openObject && !takeKey()) return null;
    } else {
      at = scalarEnd(json, at);
      if (at === -1) return null;
    }
    while (ended) {
      if (depth === 1 && isNamed) found = json.subarray(valueStart, at);
      at = skipSpace(json, at);
      if (depth === 0) return at === json.length ? found : null;
      const container = open[depth - 1]!;
      if (json[at] === container + 2) {
        depth--;
        at++;
        if (depth === 0) isNamed = false;
      } else if (json[at] === comma) {
        at = skipSpace(json, at + 1);
        if (container === openObject && !takeKey()) return null;
        ended = false;
      } else return null;
    }
  }
}

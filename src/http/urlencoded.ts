// application/x-www-form-urlencoded: names and values, strictly UTF-8. The platform's URLSearchParams is not
// used because it turns invalid UTF-8 into U+FFFD, which would then be sent to somebody's phone.

import { isUtf8 } from "node:buffer";

export type Pairs =
  | { kind: "pairs"; pairs: [string, string][] }
  | { kind: "malformed" }
  | { kind: "too_many" };

const hexPair = /^[0-9a-fA-F]{2}$/;

/** `%XX` and `+` decoded; a `%` that starts no code stands for itself, as browsers and PHP have it. */
function decode(text: string): string | null {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return decodeLoosely(spaced);
  }
}

function decodeLoosely(text: string): string | null {
  const source = Buffer.from(text);
  const bytes = Buffer.alloc(source.length);
  let length = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source[at] === 0x25 ? source.toString("latin1", at + 1, at + 3) : "";
    if (hexPair.test(code)) {
      bytes[length++] = Number.parseInt(code, 16);
      at += 2;
    } else bytes[length++] = source[at]!;
  }
  const decoded = bytes.subarray(0, length);
  return isUtf8(decoded) ? decoded.toString() : null;
}

/** The fields of a body, at most `maxFields` of them. */
export function readUrlencoded(body: Buffer, maxFields: number): Pairs {
  if (!isUtf8(body)) return { kind: "malformed" };
  const text = body.toString();
  const pairs: [string, string][] = [];
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf("&", start);
    const end = found === -1 ? text.length : found;
    if (end > start) {
      if (pairs.length === maxFields) return { kind: "too_many" };
      const equals = text.indexOf("=", start);
      const split = equals === -1 || equals > end ? end : equals;
      const name = decode(text.slice(start, split));
      const value = decode(text.slice(split + 1, end));
      if (name === null || value === null) return { kind: "malformed" };
      pairs.push([name, value]);
    }
    start = end + 1;
  }
  return { kind: "pairs", pairs };
}

// Writes what was asked or answered as JSON of bounded length. Files become a line that says what they were; texts that look
// like secrets are replaced before they are cut, because half a secret is one too; and each cut says how many bytes it left
// out. Of a list that is too long its last item goes in first: in a conversation that is what was asked.

import { isObject } from "#contract/normalise.ts";
import type { Redaction } from "./redact.ts";

/** The longest JSON of one side of a call, bytes. */
export const maxBytes = 64 * 1024;
/** What is kept free for the marks of cuts. */
const reserve = 8 * 1024;
/** What a cut text is redacted beyond its end, UTF-16 units: longer than a secret's beginning by which it is known. */
const lookahead = 512;
/** The shortest text that may be a file in base64. Shorter ones are ids and signatures of a line or two. */
const minBase64 = 512;
/** A list of that many numbers is a vector. */
const minVector = 64;
/** What is kept of a field's name, UTF-16 units. */
const maxName = 256;
/** Names of fields beside a file that say what it is. */
const typeNames = ["media_type", "mimeType", "mime_type", "format", "output_format"] as const;

interface Shortened {
  json: string;
  /** Bytes of JSON that were left out; 0: it is whole. */
  missing: number;
}

const byteLength = (json: string) => Buffer.byteLength(json);
const cutMark = (bytes: number) => `[${bytes} bytes are missing]`;

/** A value with files and vectors replaced, and the bytes of its JSON. */
export function shorten(value: unknown, redaction: Redaction): Shortened {
  const light = withoutFiles(value, null, {});
  const size = byteLength(JSON.stringify(light) ?? "null");
  const whole = size <= maxBytes ? write(light, null, Number.POSITIVE_INFINITY, redaction) : null;
  // A mark may be longer than what it replaces.
  if (whole !== null && byteLength(whole.json) <= maxBytes) return whole;
  const cut = write(light, null, maxBytes - reserve, redaction);
  if (byteLength(cut.json) <= maxBytes) return cut;
  // The names of fields take all of it, or it is nested deeply.
  return { json: JSON.stringify(cutMark(size)), missing: size };
}

const dataUrl = /data:([\w.+-]{1,64}\/[\w.+-]{1,64})(?:;[\w.=+-]{1,64}){0,3};base64,([A-Za-z0-9+/=_-]{64,})/g;
const base64Text = /^[A-Za-z0-9+/_-]+={0,2}$/;

const fileMark = (type: string, base64: string) =>
  `[${type}, ${Math.floor((base64.replace(/={1,2}$/, "").length * 3) / 4)} bytes]`;

function isBase64(text: string): boolean {
  // Its ends tell: the middle may be many megabytes.
  return (
    text.length >= minBase64 && base64Text.test(text.slice(0, minBase64)) && base64Text.test(text.slice(-256))
  );
}

/** `siblings`: the fields of the object that the text is in. */
function textWithoutFiles(text: string, siblings: Readonly<Record<string, unknown>>): string {
  if (text.includes(";base64,"))
    return text.replace(dataUrl, (_, type: string, base64: string) => fileMark(type, base64));
  if (!isBase64(text)) return text;
  const type = typeNames.map((name) => siblings[name]).find((name) => typeof name === "string");
  return fileMark(typeof type === "string" ? type : "base64", text);
}

function withoutFiles(
  value: unknown,
  name: string | null,
  siblings: Readonly<Record<string, unknown>>,
): unknown {
  if (typeof value === "string") return textWithoutFiles(value, siblings);
  if (Array.isArray(value)) {
    if (value.length >= minVector && value.every((item) => typeof item === "number"))
      return `[${value.length} numbers]`;
    return value.map((item) => withoutFiles(item, name, {}));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [field, withoutFiles(item, field, value)]),
  );
}

/** Writes a value in at most about `budget` bytes. */
function write(value: unknown, name: string | null, budget: number, redaction: Redaction): Shortened {
  if (typeof value === "string") return writeText(value, name, budget, redaction);
  if (Array.isArray(value)) return writeList(value, name, budget, redaction);
  if (isObject(value)) return writeFields(value, budget, redaction);
  return { json: JSON.stringify(value) ?? "null", missing: 0 };
}

function writeText(text: string, name: string | null, budget: number, redaction: Redaction): Shortened {
  if (text.length * 6 <= budget || budget === Number.POSITIVE_INFINITY)
    return { json: JSON.stringify(redaction.text(text, name)), missing: 0 };
  const size = byteLength(JSON.stringify(text));
  if (size <= budget) return { json: JSON.stringify(redaction.text(text, name)), missing: 0 };
  const units = Math.max(0, Math.floor(budget));
  const redacted = redaction.text(text.slice(0, units + lookahead), name);
  // Characters have up to six bytes in JSON, and the beginning may consist of them.
  let kept = redacted.slice(0, units);
  for (let json = JSON.stringify(kept); byteLength(json) > budget && kept !== ""; json = JSON.stringify(kept))
    kept = kept.slice(0, Math.floor((kept.length * Math.max(budget, 0)) / byteLength(json)) - 1);
  kept = kept.toWellFormed();
  const missing = Math.max(1, size - byteLength(JSON.stringify(kept)));
  return { json: JSON.stringify(`${kept}… ${cutMark(missing)}`), missing };
}

/** The share of one of several parts of what is left: half of it, so that the parts behind it have room. */
const share = (left: number, isLast: boolean) => (isLast ? left : left / 2);

function writeList(
  items: readonly unknown[],
  name: string | null,
  budget: number,
  redaction: Redaction,
): Shortened {
  if (items.length === 0) return { json: "[]", missing: 0 };
  const last = write(items.at(-1), name, share(budget, items.length === 1), redaction);
  let left = budget - byteLength(last.json);
  let missing = last.missing;
  const parts: string[] = [];
  for (const [at, item] of items.slice(0, -1).entries()) {
    const size = budget === Number.POSITIVE_INFINITY ? 0 : byteLength(JSON.stringify(item) ?? "null") + 1;
    if (size > left && left < reserve / 8) {
      const rest = items.slice(at, -1).reduce((sum: number, each) => sum + sizeOf(each), 0);
      parts.push(JSON.stringify(cutMark(rest)));
      missing += rest;
      break;
    }
    const part = write(item, name, size <= left ? left : left / 2, redaction);
    parts.push(part.json);
    missing += part.missing;
    left -= byteLength(part.json) + 1;
  }
  return { json: `[${[...parts, last.json].join(",")}]`, missing };
}

const sizeOf = (value: unknown) => byteLength(JSON.stringify(value) ?? "null") + 1;

function writeFields(
  fields: Readonly<Record<string, unknown>>,
  budget: number,
  redaction: Redaction,
): Shortened {
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
  const parts: string[] = [];
  let left = budget;
  let missing = 0;
  for (const [at, name] of names.entries()) {
    const value = fields[name];
    const shown = redaction.text(name.slice(0, maxName), null).toWellFormed();
    const key = JSON.stringify(name.length <= maxName ? shown : `${shown}…`);
    if (name.length > maxName) missing += byteLength(name.slice(maxName));
    if (budget !== Number.POSITIVE_INFINITY && left < reserve / 64) {
      const rest = names.slice(at).reduce((sum, each) => sum + sizeOf(fields[each]) + each.length + 3, 0);
      parts.push(`"…":${JSON.stringify(cutMark(rest))}`);
      missing += rest;
      break;
    }
    left -= byteLength(key) + 2;
    const fits = budget === Number.POSITIVE_INFINITY || sizeOf(value) <= left;
    const part = write(value, name, fits ? left : share(left, at === names.length - 1), redaction);
    parts.push(`${key}:${part.json}`);
    missing += part.missing;
    left -= byteLength(part.json);
  }
  return { json: `{${parts.join(",")}}`, missing };
}

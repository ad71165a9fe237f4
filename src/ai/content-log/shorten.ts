// Writes a request or an answer as JSON of limited length. Files are replaced by a line that describes them; texts that look like secrets
// are replaced before they are cut, because half a secret is still one; and each cut says how many bytes it left out. If a list is too
// long, its last item is written first: in a conversation that is the question. The sizes of all parts are determined in one walk, since a
// body may have 32 MiB and 256 levels.

import { isObject } from "#contract/normalise.ts";
import type { Redaction } from "./redact.ts";

/** Maximum JSON size of one side of a call, bytes. */
export const maxBytes = 64 * 1024;
/** Reserved for the marks of cuts. */
const reserve = 8 * 1024;
/** How far beyond the cut a text is redacted, UTF-16 units: longer than the prefix by which a secret is recognized. */
const lookahead = 512;
/** Minimum length of a text that may be a file in base64. Shorter ones are ids and signatures of a line or two. */
const minBase64 = 512;
/** A list of at least this many numbers is a vector. */
const minVector = 64;
/** Maximum length of a field's name that is kept, UTF-16 units. */
const maxName = 256;
/** Names of sibling fields that describe a file. */
const typeNames = ["media_type", "mimeType", "mime_type", "format", "output_format"] as const;

interface Shortened {
  json: string;
  /** Bytes of JSON that were left out; 0 if nothing was. */
  missing: number;
}

/** Sizes of smaller parts are not stored, bytes: computing them again is as fast. */
const minNoted = 1024;

const byteLength = (json: string) => Buffer.byteLength(json);
/** The JSON size of a value, bytes. */
const jsonSize = (value: unknown) => byteLength(JSON.stringify(value) ?? "null");
const cutMark = (bytes: number) => `[${bytes} bytes are missing]`;

/** The JSON size in bytes of each list, object and text that is not small. */
type Sizes = Map<unknown, number>;

const sizeOf = (value: unknown, sizes: Sizes) => sizes.get(value) ?? jsonSize(value);

/** State shared by all parts of a value. */
interface Writing {
  redaction: Redaction;
  sizes: Sizes;
}

/** A value as JSON of at most 64 KiB, with files and vectors replaced. */
export function shorten(value: unknown, redaction: Redaction): Shortened {
  const writing: Writing = { redaction, sizes: new Map() };
  const { value: light, size } = withoutFiles(value, {}, writing.sizes);
  const whole = size <= maxBytes ? write(light, null, Number.POSITIVE_INFINITY, writing) : null;
  // A mark may be longer than what it replaces.
  if (whole !== null && byteLength(whole.json) <= maxBytes) return whole;
  const cut = write(light, null, maxBytes - reserve, writing);
  if (byteLength(cut.json) <= maxBytes) return cut;
  // The names of fields use all of it, or it is deeply nested.
  return { json: JSON.stringify(cutMark(size)), missing: size };
}

const dataUrl = /data:([\w.+-]{1,64}\/[\w.+-]{1,64})(?:;[\w.=+-]{1,64}){0,3};base64,([A-Za-z0-9+/=_-]{64,})/g;
const base64Text = /^[A-Za-z0-9+/_-]+={0,2}$/;

const fileMark = (type: string, base64: string) =>
  `[${type}, ${Math.floor((base64.replace(/={1,2}$/, "").length * 3) / 4)} bytes]`;

function isBase64(text: string): boolean {
  // Its ends are enough: the middle may have many megabytes.
  return (
    text.length >= minBase64 && base64Text.test(text.slice(0, minBase64)) && base64Text.test(text.slice(-256))
  );
}

/** `siblings`: the fields of the object that contains the text. */
function textWithoutFiles(text: string, siblings: Readonly<Record<string, unknown>>): string {
  if (text.includes(";base64,"))
    return text.replace(dataUrl, (_, type: string, base64: string) => fileMark(type, base64));
  if (!isBase64(text)) return text;
  const type = typeNames.map((name) => siblings[name]).find((name) => typeof name === "string");
  return fileMark(typeof type === "string" ? type : "base64", text);
}

/** The value without files, and the size of its JSON in bytes. */
function withoutFiles(
  value: unknown,
  siblings: Readonly<Record<string, unknown>>,
  sizes: Sizes,
): { value: unknown; size: number } {
  const noted = (light: unknown, size: number) => {
    if (size >= minNoted) sizes.set(light, size);
    return { value: light, size };
  };
  if (typeof value === "string") {
    const text = textWithoutFiles(value, siblings);
    return noted(text, sizeOf(text, sizes));
  }
  if (Array.isArray(value)) {
    if (value.length >= minVector && value.every((item) => typeof item === "number")) {
      const mark = `[${value.length} numbers]`;
      return { value: mark, size: jsonSize(mark) };
    }
    let size = value.length === 0 ? 2 : 1;
    const items = value.map((item) => {
      const light = withoutFiles(item, {}, sizes);
      size += light.size + 1;
      return light.value;
    });
    return noted(items, size);
  }
  if (!isObject(value)) return { value, size: jsonSize(value) };
  let size = 2;
  const fields: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const light = withoutFiles(field, value, sizes);
    size += (fields.length === 0 ? 1 : 2) + jsonSize(name) + light.size;
    fields.push([name, light.value]);
  }
  return noted(Object.fromEntries(fields), size);
}

/** Writes a value in at most about `budget` bytes. */
function write(value: unknown, name: string | null, budget: number, writing: Writing): Shortened {
  if (typeof value === "string") return writeText(value, name, budget, writing);
  if (Array.isArray(value)) return writeList(value, name, budget, writing);
  if (isObject(value)) return writeFields(value, budget, writing);
  return { json: JSON.stringify(writing.redaction.scalar(value, name)) ?? "null", missing: 0 };
}

function writeText(
  text: string,
  name: string | null,
  budget: number,
  { redaction, sizes }: Writing,
): Shortened {
  const size = budget === Number.POSITIVE_INFINITY ? 0 : sizeOf(text, sizes);
  if (size <= budget) return { json: JSON.stringify(redaction.text(text, name)), missing: 0 };
  const units = Math.max(0, Math.floor(budget));
  const read = text.slice(0, redaction.readsWhole(text) ? text.length : units + lookahead);
  const redacted = redaction.text(read, name);
  // The part that was cut off may have been what marked the beginning as a secret.
  const end = read.length < text.length ? Math.max(0, redacted.length - lookahead) : redacted.length;
  // Characters take up to six bytes in JSON, and the beginning may consist of them.
  let kept = redacted.slice(0, Math.min(units, end));
  for (let json = JSON.stringify(kept); byteLength(json) > budget && kept !== ""; json = JSON.stringify(kept))
    kept = kept.slice(0, Math.floor((kept.length * Math.max(budget, 0)) / byteLength(json)) - 1);
  kept = kept.toWellFormed();
  const missing = Math.max(1, size - jsonSize(kept));
  return { json: JSON.stringify(`${kept}… ${cutMark(missing)}`), missing };
}

/** The share of the remainder that one of several parts gets: half of it, so that the parts after it have room. */
const share = (left: number, isLast: boolean) => (isLast ? left : left / 2);

function writeList(
  items: readonly unknown[],
  name: string | null,
  budget: number,
  writing: Writing,
): Shortened {
  if (items.length === 0) return { json: "[]", missing: 0 };
  const { sizes } = writing;
  const last = write(items.at(-1), name, share(budget, items.length === 1), writing);
  let left = budget - byteLength(last.json);
  let missing = last.missing;
  const parts: string[] = [];
  /** Bytes of JSON processed so far. */
  let past = sizeOf(items.at(-1), sizes) + 1;
  for (const item of items.slice(0, -1)) {
    const size = budget === Number.POSITIVE_INFINITY ? 0 : sizeOf(item, sizes) + 1;
    if (size > left && left < reserve / 8) {
      const rest = sizeOf(items, sizes) - past;
      parts.push(JSON.stringify(cutMark(rest)));
      missing += rest;
      break;
    }
    const part = write(item, name, size <= left ? left : left / 2, writing);
    parts.push(part.json);
    missing += part.missing;
    left -= byteLength(part.json) + 1;
    past += size;
  }
  return { json: `[${[...parts, last.json].join(",")}]`, missing };
}

function writeFields(fields: Readonly<Record<string, unknown>>, budget: number, writing: Writing): Shortened {
  const { redaction, sizes } = writing;
  const names = Object.keys(fields);
  const parts: string[] = [];
  let left = budget;
  let missing = 0;
  /** Bytes of JSON processed so far. */
  let past = 1;
  for (const [at, name] of names.entries()) {
    const value = fields[name];
    if (budget !== Number.POSITIVE_INFINITY && left < reserve / 64) {
      const rest = sizeOf(fields, sizes) - past;
      parts.push(`"…":${JSON.stringify(cutMark(rest))}`);
      missing += rest;
      break;
    }
    // Read beyond its end for the same reason as a text.
    const shown = redaction
      .text(name.slice(0, maxName + lookahead), null)
      .slice(0, maxName)
      .toWellFormed();
    const key = JSON.stringify(name.length <= maxName ? shown : `${shown}…`);
    if (name.length > maxName) missing += byteLength(name.slice(maxName));
    left -= byteLength(key) + 2;
    const size = budget === Number.POSITIVE_INFINITY ? 0 : sizeOf(value, sizes);
    const part = write(value, name, size <= left ? left : share(left, at === names.length - 1), writing);
    parts.push(`${key}:${part.json}`);
    missing += part.missing;
    left -= byteLength(part.json);
    if (budget !== Number.POSITIVE_INFINITY) past += size + jsonSize(name) + 2;
  }
  return { json: `{${parts.join(",")}}`, missing };
}

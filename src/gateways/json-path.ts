// Reads values from a provider's JSON by a small subset of JSONPath (`$.messages[0].id`, `$['message-id']`). Numbers keep their digits: an
// id above 2^53 would otherwise be rounded to the id of another message. Depth and number of values are limited before parsing.

import { exceededBound, type JsonBounds } from "#runtime/json-bounds.ts";

/** Parsed JSON in which every number is its source text. */
export type Json = string | boolean | null | Json[] | { [name: string]: Json };

type Step = string | number;

const stepPattern = /\.([^.[\]'"\s]+)|\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/** The steps of a path; null for any other text. `$` by itself is the whole document. */
export function parsePath(path: string): Step[] | null {
  if (!path.startsWith("$")) return null;
  const steps: Step[] = [];
  stepPattern.lastIndex = 1;
  while (stepPattern.lastIndex < path.length) {
    const match = stepPattern.exec(path);
    if (match === null) return null;
    steps.push(match[2] === undefined ? (match[1] ?? match[3] ?? match[4] ?? "") : Number(match[2]));
  }
  return steps;
}

/**
 * The longest documents of vendors are lists of events: SendGrid's longest has about 20,000 values in 3,000 objects and
 * lists. A reviver costs 0.5 µs for each value, so these bounds keep a document below 20 ms.
 */
const documentBounds: JsonBounds = { maxDepth: 64, maxValues: 30_000, maxContainers: 10_000 };
/** A signature and what it covers: at most a tenth of a millisecond to parse. */
const unverifiedBounds: JsonBounds = { maxDepth: 16, maxValues: 2_000 };

/** UTF-8. A byte order mark, which some servers send, is skipped. */
function parsed(
  input: string | Buffer,
  bounds: JsonBounds,
  read: (json: string) => Json = JSON.parse,
): Json | undefined {
  const bytes = typeof input === "string" ? Buffer.from(input) : input;
  if (exceededBound(bytes, bounds) !== null) return undefined;
  const text = typeof input === "string" ? input : input.toString("utf8");
  try {
    return read(text.replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}

/** The parsed document; undefined if it is not JSON, or has more levels or values than vendors send. */
export function parseJson(input: string | Buffer): Json | undefined {
  return parsed(input, documentBounds, withNumbersAsTexts);
}

/** Digits of a number whose notation JavaScript would change may be among these; so may those of a text. */
const oddNumber = /\d{16}|\d[.eE]|-0/;

/** The reviver takes three times as long, and few documents need it. */
function withNumbersAsTexts(json: string): Json {
  if (!oddNumber.test(json)) return texts(JSON.parse(json) as Json | number);
  return JSON.parse(json, (_key, value: Json | number, context?: { source: string }) =>
    typeof value === "number" ? (context?.source ?? String(value)) : value,
  ) as Json;
}

/** The value with its numbers as texts, in place. A name like `__proto__` is an own property here, as JSON.parse makes it. */
function texts(value: Json | number): Json {
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return value;
  const values = value as Record<string, Json | number>;
  for (const name of Object.keys(values)) {
    const inner = values[name];
    if (typeof inner === "number" || typeof inner === "object") values[name] = texts(inner);
  }
  return value;
}

/**
 * The parsed document of a caller that is not authenticated yet, to find its signature: costs hardly more than a scan of
 * the bytes. Numbers lose their digits here (`textAt` returns JavaScript's spelling). Undefined as for `parseJson`, and
 * for a document that is longer than any signed call.
 */
export function parseUnverified(input: Buffer): Json | undefined {
  return parsed(input, unverifiedBounds);
}

/**
 * The parsed document of an authenticated caller whose documents are longer than `parseJson` takes. Numbers lose their
 * digits here.
 */
export function parseWithin(input: Buffer, bounds: JsonBounds): Json | undefined {
  return parsed(input, bounds);
}

/** The value at the path, or undefined. Names are own properties only (`__proto__` leads nowhere). */
export function readPath(document: Json, path: string): Json | undefined {
  let value: Json | undefined = document;
  for (const step of parsePath(path) ?? [""]) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value)) value = typeof step === "number" ? value[step] : undefined;
    else value = Object.hasOwn(value, String(step)) ? value[String(step)] : undefined;
  }
  return value;
}

/** A text, a number's digits, `true` or `false`; null for anything else, or if there is no value. */
export function textAt(document: Json, path: string): string | null {
  const value = readPath(document, path);
  // Numbers are texts already, except those of `parseUnverified`.
  if (typeof value === "boolean" || typeof value === "number") return String(value);
  return typeof value === "string" ? value : null;
}

/** Where a text is: a path, or what finds it. */
export type TextReader = string | ((document: Json) => string | null);

/** The text that a reader finds. Null when it finds nothing. */
export function textOf(document: Json, reader: TextReader | undefined): string | null {
  if (reader === undefined) return null;
  return typeof reader === "string" ? textAt(document, reader) : reader(document);
}

/**
 * A provider's id of a message, unchanged (hex, case and leading zeros included); null if it cannot be stored and looked
 * up safely: empty, over 255 characters, or with control characters.
 */
export function referenceFrom(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === "" || text.length > 255) return null;
  return /[\u0000-\u001f\u007f]/.test(text) || !text.isWellFormed() ? null : text;
}

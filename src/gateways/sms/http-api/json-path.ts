// Reads values out of JSON that a provider sent, by a small subset of JSONPath (`$.messages[0].id`,
// `$['message-id']`). Numbers come out as the digits that were sent: an id above 2^53 would otherwise
// be rounded to the id of some other message. What a text may hold is bounded before it is parsed.

import { exceededBound, type JsonBounds } from "#runtime/json-bounds.ts";

/** Parsed JSON in which every number is its source text. */
export type Json = string | boolean | null | Json[] | { [name: string]: Json };

type Step = string | number;

const stepPattern = /\.([^.[\]'"\s]+)|\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/** The steps of a path, or null when it is not one. `$` alone is the whole document. */
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
 * The longest that vendors send is a list of events: SendGrid's longest has about 20,000 values in 3,000 objects and
 * lists. The reviver below costs 0.5 µs for each value, so these bounds keep a text below 20 ms.
 */
const usual: JsonBounds = { maxDepth: 64, maxValues: 30_000, maxContainers: 10_000 };
/** A signature and what it covers: a tenth of a millisecond to parse, whatever the text is like. */
const unproven: JsonBounds = { maxDepth: 16, maxValues: 2_000 };

/** UTF-8. A byte order mark in front, as some servers send it, is let pass. */
function parsed(
  given: string | Buffer,
  bounds: JsonBounds,
  reviver?: Parameters<typeof JSON.parse>[1],
): Json | undefined {
  const bytes = typeof given === "string" ? Buffer.from(given) : given;
  if (exceededBound(bytes, bounds) !== null) return undefined;
  const text = typeof given === "string" ? given : given.toString("utf8");
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""), reviver);
  } catch {
    return undefined;
  }
}

/** The parsed text; undefined when it is not JSON, or has more levels or values than vendors send. */
export function parseJson(given: string | Buffer): Json | undefined {
  return parsed(given, usual, (_key, value: Json | number, context?: { source: string }) =>
    typeof value === "number" ? (context?.source ?? String(value)) : value,
  );
}

/**
 * The parsed text of a caller that has proved nothing yet, for finding the proof in it: costs hardly more than a scan
 * of its bytes. Numbers lose their digits here (`textAt` gives JavaScript's spelling). Undefined as for `parseJson`,
 * and for a text that is longer than any signed call.
 */
export function parseUnverified(given: Buffer): Json | undefined {
  return parsed(given, unproven);
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

/** A text, a number's digits, `true` or `false`; null for anything else, so for what is not there. */
export function textAt(document: Json, path: string): string | null {
  const value = readPath(document, path);
  // Numbers are texts already, but for those of `parseUnproven`.
  if (typeof value === "boolean" || typeof value === "number") return String(value);
  return typeof value === "string" ? value : null;
}

/**
 * A provider's id of a message, exactly as given (hex, case and leading zeros included); null when it
 * cannot be stored and looked up safely: empty, over 255 characters, or with control characters.
 */
export function referenceFrom(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === "" || text.length > 255) return null;
  return /[\u0000-\u001f\u007f]/.test(text) || !text.isWellFormed() ? null : text;
}

// Reads values out of JSON that a provider sent, by a small subset of JSONPath (`$.messages[0].id`,
// `$['message-id']`). Numbers come out as the digits that were sent: an id above 2^53 would otherwise
// be rounded to the id of some other message.

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
 * The parsed text; undefined when it is not JSON. A byte order mark in front, as some servers send it, is
 * let pass. Nesting deep enough to overflow the stack counts as
 * not JSON: the reviver walks recursively, and its RangeError ends up here too.
 */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(
      text.replace(/^\ufeff/, ""),
      (_key, value: Json | number, context?: { source: string }) =>
        typeof value === "number" ? (context?.source ?? String(value)) : value,
    );
  } catch {
    return undefined;
  }
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
  if (typeof value === "boolean") return String(value);
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

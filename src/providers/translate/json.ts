// JSON on its way from one vendor's shape into another's, without loss: a number that a double cannot hold (a
// 64-bit id in a tool's arguments, `-0`, 1e400) keeps its spelling, which a plain parse and print would change.

import { exceededBound } from "#runtime/json-bounds.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** An object that is no list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list; none for anything else. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The text, or empty. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Only text with one of these can hold a number that changes; most is parsed without looking at each value. */
const maybeInexact = /-0(?![.\d]*[1-9])|\d[\d.]{15}|\d[eE]/;

// In V8 since Node 21, not yet in TypeScript's library: a number that is printed as it is spelled.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

const significant = (source: string) =>
  source
    .replace(/[eE].*/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "").length;

function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  const { source } = context;
  const kept = Number.isFinite(value) && !Object.is(value, -0) && significant(source) <= 15;
  return kept ? value : rawJSON(source);
}

/** A number that is kept as it is spelled costs 1 to 2 µs, and so does every other value beside it. */
const maxExactValues = 25_000;

/**
 * The parsed text, whose printing spells every number as before; undefined where it is no JSON. What a double
 * cannot hold is no number here, but an object that JSON.stringify prints. Of texts with more than 25,000 values,
 * which would hold up the event loop, numbers are doubles.
 */
export function parseExactly(text: string): unknown {
  try {
    const exactly = maybeInexact.test(text) && within(text, { maxValues: maxExactValues });
    return exactly ? JSON.parse(text, exact) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Bounds of a vendor's JSON, so that none takes longer than about 0.1 s to parse: an object whose key is new costs
 * 2 µs, a new key 0.5 µs.
 */
export const answerBounds = { maxDepth: 256, maxValues: 100_000, maxContainers: 32_768 };

/** Texts below this length, UTF-16 units, keep every bound: most answers and frames are not looked at twice. */
const shortText = 64 * 1024;

/** Whether a vendor's text keeps the bounds within which it may be parsed. */
export function isWithinBounds(text: string): boolean {
  return within(text, answerBounds);
}

function within(
  text: string,
  bounds: { maxDepth?: number; maxValues: number; maxContainers?: number },
): boolean {
  if (text.length < shortText) return true;
  return exceededBound(Buffer.from(text), { maxDepth: Number.POSITIVE_INFINITY, ...bounds }) === null;
}

/** A vendor's text, parsed; undefined where it is no JSON, or beyond the bounds. */
export function parseJson(text: string): unknown {
  try {
    return isWithinBounds(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** As `parsed`, with every number as it was spelled. */
export function parseAnswerExactly(text: string): unknown {
  return isWithinBounds(text) ? parseExactly(text) : undefined;
}

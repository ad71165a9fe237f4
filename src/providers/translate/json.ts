// Converts JSON between the vendors' shapes without loss: a number that a double cannot represent (a 64-bit id in tool arguments, `-0`,
// 1e400) keeps its spelling, which parsing and printing would change.

import { type Fields, isObject } from "#contract/normalise.ts";
import { exceededBound } from "#runtime/json-bounds.ts";

/** The objects of an array; empty for anything else. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The string, or "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * The arguments of a call as text. Some servers send an object instead (llama.cpp with `--tool-args-object`, TGI); anything else becomes
 * "".
 */
export const argumentsText = (value: unknown): string =>
  isObject(value) ? JSON.stringify(value) : textOf(value);

/** The JSON escape of an unpaired surrogate, which vendors refuse ("no low surrogate in string"); a backslash may precede it. */
const halfPair = /\\ud[89a-f]/i;

/**
 * The value as the text of a request. An unpaired surrogate, left where a client cut a text, becomes U+FFFD: texts and names are
 * well-formed.
 */
export function bodyText(value: unknown): string {
  const text = JSON.stringify(value);
  return halfPair.test(text) ? JSON.stringify(wellFormed(value)) : text;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null || isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.toWellFormed(), wellFormed(inner)]),
  );
}

/** Only text that matches can contain such a number; most text is parsed without inspecting each value. */
const maybeInexact = /-0(?![.\d]*[1-9])|\d[\d.]{15}|\d[eE]/;

// In V8 since Node 21, not yet in TypeScript's library: a number that is printed in its original spelling.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

const significant = (source: string) =>
  source
    .replace(/[eE].*/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "").length;

function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  const { source } = context;
  const isExact = Number.isFinite(value) && !Object.is(value, -0) && significant(source) <= 15;
  return isExact ? value : rawJSON(source);
}

/** Keeping a number's spelling costs 1 to 2 µs, and so does every other value of the text. */
const maxExactValues = 25_000;

/**
 * Parses a text so that JSON.stringify prints every number as before; undefined if it is not JSON. A number
 * that a double cannot hold becomes an object. In texts with more than 25,000 values, which would block the
 * event loop, all numbers are doubles.
 */
export function parseExactly(text: string): unknown {
  try {
    const exactly = maybeInexact.test(text) && within(text, { maxValues: maxExactValues });
    return exactly ? JSON.parse(text, exact) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Limits for a vendor's JSON, so that parsing takes at most about 0.1 s: an object with a new key costs 2 µs, a new key 0.5 µs. */
export const answerBounds = { maxDepth: 256, maxValues: 100_000, maxContainers: 32_768 };

/** Texts shorter than this, UTF-16 units, are always within the limits; most answers and frames are. */
const shortText = 64 * 1024;

/** Whether a vendor's text is within the limits for parsing. */
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

/** Parses a vendor's text; undefined if it is not JSON or exceeds the limits. */
export function parseJson(text: string): unknown {
  try {
    return isWithinBounds(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Like `parseJson`, with every number in its original spelling. */
export function parseAnswerExactly(text: string): unknown {
  return isWithinBounds(text) ? parseExactly(text) : undefined;
}

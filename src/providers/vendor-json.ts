// JSON on its way from one vendor's shape into another's, without loss: a number that a double cannot hold (a
// 64-bit id in a tool's arguments, `-0`, 1e400) keeps its spelling, which a plain parse and print would change.

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
const maybeInexact = /-0|\d[\d.]{15}|\d[eE]/;

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

/**
 * The parsed text, whose printing spells every number as before; undefined where it is no JSON. What a double
 * cannot hold is no number here, but an object that JSON.stringify prints.
 */
export function parsedExactly(text: string): unknown {
  try {
    return maybeInexact.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

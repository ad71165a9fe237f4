// Reads values of Meta's documents, of which no field is trusted to have its documented type.

import type { Json } from "#gateways/json-path.ts";

/** The value of an object's own field. Undefined when the object lacks it. */
export function field(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value below several fields. */
export function valueAt(value: Json | undefined, ...names: string[]): Json | undefined {
  return names.reduce<Json | undefined>(field, value);
}

/** A text or a number as text; an empty one for anything else. */
export function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The same; null instead of an empty text. */
export const textOrNull = (value: unknown): string | null => text(value) || null;

export const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** Epoch ms of a time in seconds; undefined for anything else. */
export function timeMs(value: unknown): number | undefined {
  const seconds = text(value);
  return /^\d{9,10}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

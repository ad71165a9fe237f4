// Secrets in settings: fields marked by `secret()` are shown as a mask, and a mask that is sent back means the stored value. A whole object
// or list may be secret (the headers of an `http-api` gateway): then all its values are, but not its names, and not a value that is a
// single template field, such as `{{to}}`: it says what is sent, and holds nothing.

import { z } from "zod";

/** Shown in place of a secret. */
export const mask = "••••";

/** A settings field that is sealed at rest and masked wherever it is shown. */
export function secret() {
  return z.string().min(1).meta({ secret: true });
}

const templateField = /^\{\{\w{1,40}\}\}$/;
const isTemplateField = (value: unknown): boolean => typeof value === "string" && templateField.test(value);

type Path = (string | number)[];

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Marks {
  secret: boolean;
  url: boolean;
}

/** The schema inside optional, nullable and default, with the marks of all these layers. */
export function unwrapField(field: z.ZodType | null): { schema: z.ZodType | null; marks: Marks } {
  const marks = { secret: false, url: false };
  let schema = field;
  for (;;) {
    const meta = schema?.meta();
    marks.secret ||= meta?.secret === true;
    marks.url ||= meta?.url === true;
    if (
      schema instanceof z.ZodOptional ||
      schema instanceof z.ZodNullable ||
      schema instanceof z.ZodDefault ||
      schema instanceof z.ZodPrefault
    ) {
      schema = schema.unwrap() as z.ZodType;
    } else return { schema, marks };
  }
}

/** The schema of a part; null if the schema does not name its parts (a union, any JSON). */
function partOf(schema: z.ZodType | null, name: string | number): z.ZodType | null {
  // Names come from clients: `constructor` must not be found.
  if (schema instanceof z.ZodObject) return Object.hasOwn(schema.shape, name) ? schema.shape[name] : null;
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  return null;
}

/** A copy of `value` in which `change` has replaced every leaf (a value that is neither object nor list). */
function mapLeaves(
  field: z.ZodType | null,
  value: unknown,
  change: (value: unknown, path: Path, secret: boolean) => unknown,
  path: Path = [],
  inSecret = false,
): unknown {
  const { schema, marks } = unwrapField(field);
  const secret = inSecret || marks.secret;
  if (Array.isArray(value)) {
    return value.map((part, at) => mapLeaves(partOf(schema, at), part, change, [...path, at], secret));
  }
  if (isMap(value)) {
    const parts = Object.entries(value).map(([name, part]) => [
      name,
      mapLeaves(partOf(schema, name), part, change, [...path, name], secret),
    ]);
    return Object.fromEntries(parts);
  }
  return change(value, path, secret && !isTemplateField(value));
}

/** The settings, in which `change` has replaced every value that is neither object nor list. */
export const mapSettings = (
  schema: z.ZodObject,
  settings: unknown,
  change: (value: unknown, path: readonly (string | number)[], secret: boolean) => unknown,
): Record<string, unknown> => mapLeaves(schema, settings, change) as Record<string, unknown>;

/** The settings in the form that may be shown. */
export const masked = (schema: z.ZodObject, settings: unknown): Record<string, unknown> =>
  mapSettings(schema, settings, (value, _path, secret) => (secret && value !== null ? mask : value));

/** The secret strings in settings, each once. */
export function secretsIn(schema: z.ZodObject, settings: unknown): string[] {
  const found = new Set<string>();
  mapLeaves(schema, settings, (value, _path, secret) => {
    if (secret && typeof value === "string") found.add(value);
    return value;
  });
  return [...found];
}

/**
 * `input` with every mask replaced by the `stored` value at its path. `missing`: the paths without a stored value. If a list contains as
 * many masks as there are stored values, the masks are the stored ones in order and the other items are new. In any other list that has
 * grown or shrunk, positions are ambiguous, so every mask in it is missing.
 */
export function unmasked(input: unknown, stored: unknown): { value: unknown; missing: Path[] } {
  const missing: Path[] = [];
  const restore = (value: unknown, known: unknown, path: Path): unknown => {
    if (value === mask) {
      if (known !== undefined && (known === null || typeof known !== "object")) return known;
      missing.push(path);
      return value;
    }
    if (Array.isArray(value)) {
      const items = itemsFor(value, Array.isArray(known) ? known : []);
      return value.map((part, at) => restore(part, items[at], [...path, at]));
    }
    if (isMap(value)) {
      const storedAt = (name: string) =>
        isMap(known) && Object.hasOwn(known, name) ? known[name] : undefined;
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, restore(part, storedAt(name), [...path, name])]),
      );
    }
    return value;
  };
  return { value: restore(input, stored, []), missing };
}

/** The stored items at the positions of the new list; empty if the positions are ambiguous. */
function itemsFor(list: readonly unknown[], stored: readonly unknown[]): readonly unknown[] {
  if (list.length === stored.length) return stored;
  if (list.filter((item) => item === mask).length !== stored.length) return [];
  let next = 0;
  return list.map((item) => (item === mask ? stored[next++] : undefined));
}

/** The paths of secrets in `settings` that `input` does not contain: a mask or an absent field kept the stored ones. */
export function keptSecrets(schema: z.ZodObject, settings: unknown, input: unknown): Path[] {
  const masked: Path[] = [];
  mapLeaves(schema, settings, (value, path, secret) => {
    if (!secret || value === null) return value;
    let supplied: unknown = input;
    for (const name of path) {
      const parent: unknown = supplied;
      supplied =
        typeof parent === "object" && parent !== null && Object.hasOwn(parent, name)
          ? (parent as Record<string | number, unknown>)[name]
          : undefined;
    }
    if (supplied === undefined || supplied === mask) masked.push(path);
    return value;
  });
  return masked;
}

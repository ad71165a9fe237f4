// Settings without their secrets, and back: what `secret()` marks is shown as a mask, and a mask that comes back
// stands for what is stored. A secret may be a whole object or list (the headers of an `http-api` gateway): then
// everything in it is one, but for the names.

import { z } from "zod";

/** Stands for a stored value that is not shown. */
export const mask = "••••";

type Path = (string | number)[];

const isSecret = (schema: z.ZodType | null) => schema?.meta()?.secret === true;
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Inside optional, nullable and default: the schema of a value that is there. A mark on a wrapper counts as its own. */
function unwrapped(schema: z.ZodType | null): { schema: z.ZodType | null; secret: boolean } {
  let secret = isSecret(schema);
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault
  ) {
    inner = inner.unwrap() as z.ZodType;
    secret ||= isSecret(inner);
  }
  return { schema: inner, secret };
}

/** The schema of a part; null where the schema does not say (a union, any JSON). */
function partOf(schema: z.ZodType | null, name: string | number): z.ZodType | null {
  // Names come from outside: `constructor` is no field.
  if (schema instanceof z.ZodObject) return Object.hasOwn(schema.shape, name) ? schema.shape[name] : null;
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  return null;
}

/** Every value that is no object and no list, with its path and whether it is secret, put back together as `change` says. */
function mapLeaves(
  given: z.ZodType | null,
  value: unknown,
  change: (value: unknown, path: Path, secret: boolean) => unknown,
  path: Path = [],
  inSecret = false,
): unknown {
  const { schema, secret: own } = unwrapped(given);
  const secret = inSecret || own;
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
  return change(value, path, secret);
}

/** The settings as they may be shown. */
export function masked(schema: z.ZodObject, settings: unknown): Record<string, unknown> {
  const shown = mapLeaves(schema, settings, (value, _path, secret) =>
    secret && value !== null ? mask : value,
  );
  return shown as Record<string, unknown>;
}

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
 * `given` with every mask replaced by what is `stored` at its place. `missing`: where nothing is stored; in a list
 * that has grown or shrunk no place is certain, so there every mask is missing.
 */
export function unmasked(given: unknown, stored: unknown): { value: unknown; missing: Path[] } {
  const missing: Path[] = [];
  const restore = (value: unknown, known: unknown, path: Path): unknown => {
    if (value === mask) {
      if (known !== undefined && (known === null || typeof known !== "object")) return known;
      missing.push(path);
      return value;
    }
    if (Array.isArray(value)) {
      const same = Array.isArray(known) && known.length === value.length ? known : [];
      return value.map((part, at) => restore(part, same[at], [...path, at]));
    }
    if (isMap(value)) {
      const own = (name: string) => (isMap(known) && Object.hasOwn(known, name) ? known[name] : undefined);
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, restore(part, own(name), [...path, name])]),
      );
    }
    return value;
  };
  return { value: restore(given, stored, []), missing };
}

/** Where `settings` has secrets that `given` does not bring: they were kept, by a mask or by silence. */
export function keptSecrets(schema: z.ZodObject, settings: unknown, given: unknown): Path[] {
  const kept: Path[] = [];
  mapLeaves(schema, settings, (value, path, secret) => {
    if (!secret || value === null) return value;
    let brought: unknown = given;
    for (const name of path) {
      const inside: unknown = brought;
      brought =
        typeof inside === "object" && inside !== null && Object.hasOwn(inside, name)
          ? (inside as Record<string | number, unknown>)[name]
          : undefined;
    }
    if (brought === undefined || brought === mask) kept.push(path);
    return value;
  });
  return kept;
}

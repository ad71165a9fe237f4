// Derives from one schema of a managed thing's fields what a reply shows, what a PATCH accepts, and how stored fields are read. A field has
// a default, so that it may be omitted; a group is an object with `prefault`, whose fields change individually.

import { z } from "zod";

type Bare<F> = F extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner> ? Bare<Inner> : F;

type Shape = z.core.$ZodShape;
type AnyObject<S extends Shape> = z.ZodObject<S, z.core.$ZodObjectConfig>;

type ShownShape<S extends Shape> = {
  [K in keyof S]: Shown<S[K]> extends infer R extends z.core.$ZodType ? R : never;
};
type Shown<F> =
  Bare<F> extends z.ZodObject<infer S extends Shape, infer _>
    ? z.ZodObject<ShownShape<S>, z.core.$strip>
    : Bare<F> extends z.ZodNullable<infer Inner>
      ? z.ZodNullable<Shown<Inner> & z.core.SomeType>
      : Bare<F>;

type Changed<F> =
  F extends z.ZodPrefault<z.ZodObject<infer S extends Shape, infer _>>
    ? z.ZodObject<PatchShape<S>, z.core.$strict>
    : Bare<F>;

type PatchShape<S extends Shape> = { [K in keyof S]: z.ZodOptional<Changed<S[K]> & z.core.SomeType> };

function bare(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodDefault || field instanceof z.ZodPrefault
    ? bare(field.unwrap() as z.ZodType)
    : field;
}

const isGroup = (field: z.ZodType): boolean =>
  field instanceof z.ZodPrefault && bare(field) instanceof z.ZodObject;

function describedAs<T extends z.ZodType>(field: T, from: z.ZodType): T {
  return from.description === undefined ? field : field.describe(from.description);
}

function mapFields(object: z.ZodObject, change: (field: z.ZodType) => z.ZodType): Record<string, z.ZodType> {
  const fields = Object.entries(object.shape as Record<string, z.ZodType>);
  return Object.fromEntries(fields.map(([name, field]) => [name, describedAs(change(field), field)]));
}

function shownField(field: z.ZodType): z.ZodType {
  const inner = bare(field);
  if (inner instanceof z.ZodObject) return shown(inner);
  if (inner instanceof z.ZodRecord)
    return z.record(inner.keyType as z.ZodString, shownField(inner.valueType as z.ZodType));
  if (inner instanceof z.ZodOptional) return shownField(inner.unwrap() as z.ZodType).optional();
  return inner instanceof z.ZodNullable ? shownField(inner.unwrap() as z.ZodType).nullable() : inner;
}

/** The fields of a reply: every one is present, whether it was sent or has its default. */
export function shown<S extends Shape>(object: AnyObject<S>): z.ZodObject<ShownShape<S>, z.core.$strip> {
  return describedAs(z.object(mapFields(object as never, shownField)), object as never) as never;
}

/**
 * The body of a PATCH: each field optional and without its default, so that an absent one keeps its stored value, including the fields of
 * groups. An object that may be null is replaced as a whole.
 */
export function patchSchema<S extends Shape>(
  object: AnyObject<S>,
): z.ZodObject<PatchShape<S>, z.core.$strict> {
  const change = (field: z.ZodType): z.ZodType => {
    const inner = isGroup(field) ? patchSchema(bare(field) as z.ZodObject) : bare(field);
    return inner.optional();
  };
  return describedAs(z.strictObject(mapFields(object as never, change)), object as never) as never;
}

/** The fields after a PATCH: absent ones are unchanged, also inside groups. */
export function applyChanges<Fields extends object>(
  object: z.ZodObject,
  before: Fields,
  changes: Readonly<Record<string, unknown>>,
): Fields {
  const after = { ...before } as Record<string, unknown>;
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const field = object.shape[name] as z.ZodType;
    after[name] = isGroup(field)
      ? applyChanges(bare(field) as z.ZodObject, after[name] as object, value as Record<string, unknown>)
      : value;
  }
  return after as Fields;
}

/**
 * The fields as they were stored, in the order of the schema. A field that is newer than the stored text gets its default; one that the
 * schema no longer has is dropped. Values were checked when they were stored, and are not checked again: a stricter schema must not make a
 * stored thing unreadable.
 */
export function readFields<S extends Shape>(
  object: AnyObject<S>,
  stored: Readonly<Record<string, unknown>>,
): z.output<z.ZodObject<S>> {
  const fields = Object.entries(object.shape) as [string, z.ZodType][];
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const value = stored[name];
      if (isGroup(field)) {
        const group = (value ?? (field as z.ZodPrefault).def.defaultValue) as Record<string, unknown>;
        return [name, readFields(bare(field) as z.ZodObject, group)];
      }
      const absent = value === undefined && field instanceof z.ZodDefault;
      return [name, absent ? field.def.defaultValue : value];
    }),
  ) as never;
}

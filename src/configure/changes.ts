// The shape of a change (PATCH): the fields of an object, none of them required and none filled in, so that what is
// absent stays as it is. Objects inside become changes as well only where the caller says so.

import { z } from "zod";

type WithoutDefault<T> = T extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner> ? Inner : T;

/** The fields of `object`, each optional and without its default; their descriptions stay. */
export function patchSchema<S extends z.ZodRawShape>(
  object: z.ZodObject<S>,
): z.ZodObject<{ [K in keyof S]: z.ZodOptional<WithoutDefault<S[K]> & z.core.SomeType> }, z.core.$strict> {
  const fields = Object.entries(object.shape).map(([name, field]) => {
    const bare = field instanceof z.ZodDefault || field instanceof z.ZodPrefault ? field.unwrap() : field;
    const description = (field as z.ZodType).description;
    const optional = (bare as z.ZodType).optional();
    return [name, description === undefined ? optional : optional.describe(description)];
  });
  return z.strictObject(Object.fromEntries(fields)) as never;
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the fields that are there, but undefined. */
export function omitUndefined<T extends object>(fields: T): Partial<Defined<T>> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Defined<T>>;
}

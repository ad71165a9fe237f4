// The schema of a PATCH body: the fields of an object, all optional and without defaults, so that an absent field keeps
// its stored value. Nested objects become patches only where the caller asks for it.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import type { Overtaken } from "#store/revision.ts";

/** Why something was not created or changed. */
export type Refusal =
  | { kind: "invalid"; issues: Issue[] }
  | { kind: "not_found" }
  /** Other changes were stored first, or the caller has seen an older revision. */
  | { kind: Overtaken };

/** The refusal of a value that has to be unique and is not. */
export const taken = (field: string, message = "is taken"): Extract<Refusal, { kind: "invalid" }> => ({
  kind: "invalid",
  issues: [{ path: [field], message }],
});

/** The same for an entry of the provisioning file that loses against other changes again and again. */
export const changedElsewhere = (field: string) => taken(field, "is being changed elsewhere");

type WithoutDefault<T> = T extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner> ? Inner : T;

/** The fields of `object`, each optional and without its default, with its description. */
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

/** The fields whose value is not undefined. */
export function omitUndefined<T extends object>(fields: T): Partial<Defined<T>> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Defined<T>>;
}

// The part of a JSON Schema that forms show: the subset that kinds of gateways and providers, and requests with forms, use.

import type { ApiError } from "#ui/api/client.ts";

export interface Schema {
  type?: string | readonly string[];
  description?: string;
  default?: unknown;
  enum?: readonly string[];
  const?: string | boolean;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  anyOf?: readonly Schema[];
  writeOnly?: boolean;
  format?: string;
  /** The values of other fields with which this one has a meaning: `{ vendor: ["azure-openai"] }`. */
  only?: Readonly<Record<string, readonly string[]>>;
  title?: string;
  /** The title of the card that it is in. */
  group?: string;
  /** The unit of a number whose name does not end with one. */
  unit?: string;
  /** Whether few people need it, so that it is folded away; if absent, what has a default is. */
  advanced?: boolean;
  /** The labels of an `enum`. */
  words?: Readonly<Record<string, string>>;
  /** The meaning of null in a list of checkboxes, which the page adds. */
  all?: string;
}

export type Values = Readonly<Record<string, unknown>>;

/** The input of a value's control. */
export interface ValueProps {
  label: string;
  /** As the API names it in errors: `settings.success.path`. */
  path: string;
  schema: Schema;
  required: boolean;
  nullable: boolean;
  value: unknown;
  /** The API's message about it, and about what is in it. */
  fault: string | null;
  error: ApiError | null;
  onChange: (value: unknown) => void;
}

/** That of a value without parts. */
export type OneValue = Omit<ValueProps, "path" | "error">;

/**
 * The control of a value: `group` is an object with known names, `pairs` one whose names are free, `groups` one of groups with free names,
 * `lines` a list, `boxes` a list of known words, `instant` a time.
 */
type Control =
  | "text"
  | "long"
  | "secret"
  | "number"
  | "switch"
  | "choice"
  | "group"
  | "pairs"
  | "groups"
  | "lines"
  | "boxes"
  | "instant"
  | "json";

const isScalar = ({ type }: Schema): boolean =>
  [type].flat().every((each) => ["string", "number", "integer", "boolean"].includes(each ?? ""));

/** The schema of the values other than null, and whether null is allowed. */
export function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  const { anyOf = [], ...rest } = schema;
  const [only, ...others] = anyOf.filter(({ type }) => type !== "null");
  if (only !== undefined && others.length === 0 && anyOf.length === 2)
    return { schema: { ...only, ...rest }, nullable: true };
  const types = [schema.type].flat();
  const [type, ...more] = types.filter((each) => each !== "null");
  if (type !== undefined && more.length === 0 && types.length === 2)
    return { schema: { ...schema, type }, nullable: true };
  return { schema, nullable: false };
}

/** The control for a value of this schema. */
export function controlOf(whole: Schema): Control {
  const { schema } = withoutNull(whole);
  if (schema.type === "boolean") return "switch";
  if (schema.enum !== undefined || schema.const !== undefined) return "choice";
  if (schema.type === "object") {
    if (schema.properties !== undefined) return "group";
    const values = schema.additionalProperties;
    if (typeof values !== "object") return "json";
    if (controlOf(values) === "group") return "groups";
    return isScalar(values) ? "pairs" : "json";
  }
  if (schema.type === "array") {
    if (schema.items?.enum !== undefined) return "boxes";
    return isScalar(schema.items ?? {}) ? "lines" : "json";
  }
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (!isScalar(schema)) return "json";
  if (schema.format === "date-time") return "instant";
  if (schema.description?.includes("PEM")) return "long";
  return schema.writeOnly === true ? "secret" : "text";
}

/** Whether this is the mask of a stored secret: the API shows it and takes it back untouched. */
export const isMask = (value: unknown): boolean => typeof value === "string" && value.includes("••••");

/** A line as the list's items require: a number or a boolean if those are allowed. */
export function scalarOf(text: string, schema: Schema): string | number | boolean {
  const types = [schema.type].flat();
  if (types.some((type) => type === "integer" || type === "number")) {
    const value = Number(text);
    if (text.trim() !== "" && Number.isFinite(value)) return value;
  }
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Whether the field has a meaning beside these values. One that has a value is shown in any case, so that it can be removed. */
export function applies(schema: Schema, name: string, values: Values): boolean {
  const of = schema.properties?.[name];
  const hasValue = values[name] !== undefined && values[name] !== null;
  return (
    hasValue ||
    Object.entries(of?.only ?? {}).every(([other, words]) =>
      words.includes(String(values[other] ?? schema.properties?.[other]?.default)),
    )
  );
}

/** The fields on which others depend: they come first. */
export const deciders = ({ properties = {} }: Schema): ReadonlySet<string> =>
  new Set(Object.values(properties).flatMap(({ only = {} }) => Object.keys(only)));

/** The values with one of them changed; undefined removes it. */
export function changed(values: Values, name: string, value: unknown): Values {
  const { [name]: _old, ...rest } = values;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** A form for a thing whose `settings` depend on its kind. */
export const withSettings = (form: Schema, settings: unknown): Schema => ({
  ...form,
  properties: { settings: settings as Schema, ...form.properties },
  required: ["settings"],
});

/**
 * The values that differ from the stored ones, in the form of a PATCH: a group's fields one by one, everything else as a whole. An emptied
 * value gets its default, or null, which removes a setting. `isPart`: this is already a group.
 */
export function changesOf(schema: Schema, stored: Values, values: Values, isPart = false): Values {
  const changes: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    const [before, entered] = [stored[name], values[name]];
    if (JSON.stringify(entered) === JSON.stringify(before)) continue;
    const after = entered === undefined ? (each.default ?? null) : entered;
    if (isPart || controlOf(each) !== "group" || withoutNull(each).nullable) changes[name] = after;
    else changes[name] = changesOf(each, (before ?? {}) as Values, (after ?? {}) as Values, true);
  }
  return changes;
}

/** Whether the API assumes a value without input: nothing, null, the default, or a group of such values. */
export function isDefault(schema: Schema, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (JSON.stringify(value) === JSON.stringify(schema.default)) return true;
  if (typeof value !== "object" || schema.properties === undefined) return false;
  return Object.entries(value).every(([name, each]) => {
    const of = schema.properties?.[name];
    return of !== undefined && isDefault(of, each);
  });
}

/** The placeholder of an empty control: the value that the API then assumes. */
export function placeholderOf({ default: value }: Schema): string | undefined {
  return value === undefined || value === null || typeof value === "object"
    ? undefined
    : `${value} (default)`;
}

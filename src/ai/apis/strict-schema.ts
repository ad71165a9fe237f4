// Decides whether a schema of another API can be sent as a strict OpenAI schema: vendors of OpenAI's format refuse a strict schema if its
// objects are open, have optional properties or use keywords that are not enforced. Source:
// platform.openai.com/docs/guides/structured-outputs#supported-schemas

import { isObject } from "#contract/normalise.ts";

const keywords: ReadonlySet<string> = new Set([
  "type",
  "title",
  "description",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
  "$defs",
  "definitions",
  "$ref",
  "pattern",
  "format",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
]);

const formats: readonly unknown[] = [
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
];

/** Maximum number of object levels at OpenAI; a deeper schema is sent as not strict. */
const maxDepth = 10;

/** Whether the schema is a closed object with only required properties, and so are all objects in it. */
export const isStrictSchema = (schema: unknown): boolean =>
  isObject(schema) && schema.type === "object" && schema.anyOf === undefined && isStrict(schema, 0);

function isStrict(schema: unknown, depth: number): boolean {
  if (!isObject(schema) || depth > maxDepth) return false;
  if (Object.keys(schema).some((name) => !keywords.has(name))) return false;
  const { type, properties = {}, items, anyOf = [], format, $ref, $defs = {}, definitions = {} } = schema;
  if (type === undefined && schema.anyOf === undefined && typeof $ref !== "string") return false;
  if (format !== undefined && !formats.includes(format)) return false;
  if (!isObject(properties) || !isObject($defs) || !isObject(definitions) || !Array.isArray(anyOf))
    return false;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes("object") && !isClosed(schema, Object.keys(properties))) return false;
  if (types.includes("array") && items === undefined) return false;
  const inside = [
    ...Object.values(properties),
    ...Object.values($defs),
    ...Object.values(definitions),
    ...anyOf,
    ...(items === undefined ? [] : [items]),
  ];
  return inside.every((one) => isStrict(one, depth + 1));
}

function isClosed(
  { additionalProperties, required = [] }: Readonly<Record<string, unknown>>,
  names: readonly string[],
): boolean {
  if (additionalProperties !== false || !Array.isArray(required)) return false;
  const known = new Set(required);
  return names.every((name) => known.has(name));
}

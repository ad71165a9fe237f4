// Whether a schema of another API may go out as OpenAI's strict one: those who speak OpenAI's format refuse a strict schema
// whose objects are open, have optional properties, or say what is not enforced.
// Source: platform.openai.com/docs/guides/structured-outputs#supported-schemas

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

/** The most levels of objects, as OpenAI has it; a deeper schema goes out as one that is not strict. */
const maxDepth = 10;

/** Whether the schema is an object that is closed, as all inside of it are, with properties that are all required. */
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

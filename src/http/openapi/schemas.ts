// The schemas of the OpenAPI document, made from the zod schemas that route and check requests. A zod schema with an
// `id` in its metadata is a component under that name; every other schema is written where it is used.

import { z } from "zod";

export type Json = Record<string, unknown>;

const prefix = "#/components/schemas/";

/** What only the dashboard's forms read. */
const formKeywords = ["title", "group", "unit", "advanced", "only", "words"] as const;

/**
 * Keywords that zod writes but the document does not need, or that client generators cannot read: the pattern next to a `format` (it has
 * 300 characters), the bounds of a safe integer, and `{}` for a value of any type.
 */
function simplify(schema: Json): void {
  if (schema.format === "date-time" || schema.format === "date") delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  delete schema.propertyNames;
  // The mark of secrets, which JSON Schema calls `writeOnly`.
  if (schema.secret === true) schema.writeOnly = true;
  delete schema.secret;
  const { additionalProperties: others } = schema;
  if (typeof others === "object" && others !== null && Object.keys(others).length === 0)
    schema.additionalProperties = true;
}

const override = ({ jsonSchema }: { jsonSchema: object }) => {
  simplify(jsonSchema as Json);
  for (const word of formKeywords) delete (jsonSchema as Json)[word];
};

/** The schema's name among the components, or undefined. */
export function componentName(schema: z.ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.id;
}

export function reference(name: string): Json {
  return { $ref: `${prefix}${name}` };
}

/** Zod refers to its own `$defs`; the document has these schemas among its components. */
function withDocumentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDocumentReferences);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, child]) =>
    name === "$ref"
      ? [name, String(child).replace("#/$defs/", prefix)]
      : [name, withDocumentReferences(child)],
  );
  return Object.fromEntries(entries);
}

/** The schema where it is used: a reference, or the schema itself. `io`: before or after coercion and defaults. */
export function schemaOf(schema: z.ZodType, io: "input" | "output" = "input"): Json {
  const name = componentName(schema);
  if (name !== undefined) return reference(name);
  const { $schema: _dialect, $defs: _definitions, ...rest } = z.toJSONSchema(schema, { io, override });
  return withDocumentReferences(rest) as Json;
}

/**
 * All schemas with an `id`, by their names. Nothing in them transforms, so one form serves input and output. `forForms`: with what only
 * forms read, which the document leaves out.
 */
export function namedSchemas(forForms = false): Record<string, Json> {
  const uri = (id: string) => `${prefix}${id}`;
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    io: "input",
    uri,
    override: forForms ? ({ jsonSchema }) => simplify(jsonSchema as Json) : override,
  });
  const entries = Object.entries(schemas).map(([name, schema]): [string, Json] => {
    const { $schema: _dialect, $id: _id, ...rest } = schema as Json;
    return [name, rest];
  });
  return Object.fromEntries(entries);
}

/** The names of the components that the value refers to, directly or through other components. */
export function usedNames(value: unknown, schemas: Readonly<Record<string, Json>>): Set<string> {
  const names = new Set<string>();
  const visit = (child: unknown): void => {
    if (typeof child !== "object" || child === null) return;
    const { $ref } = child as Json;
    if (typeof $ref === "string" && $ref.startsWith(prefix)) {
      const name = $ref.slice(prefix.length);
      if (!names.has(name)) {
        names.add(name);
        visit(schemas[name]);
      }
    }
    for (const grandchild of Object.values(child)) visit(grandchild);
  };
  visit(value);
  return names;
}

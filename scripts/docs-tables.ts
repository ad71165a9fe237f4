// Tables for the reference pages: the fields of a zod schema, one row each, in words for a newcomer.

import { z } from "zod";

/** A JSON schema, as far as the tables show it. */
interface Schema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  secret?: boolean;
  $ref?: string;
}

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input" }) as Schema;

/** For an event, whose schemas are named components: each is written where it is used. None of them refers to itself. */
function wholeSchemaOf(schema: z.ZodType): Schema {
  const { $defs = {}, ...root } = schemaOf(schema) as Schema & { $defs?: Record<string, Schema> };
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as Schema;
    const named = $ref === undefined ? undefined : $defs[$ref.replace("#/$defs/", "")];
    const whole = named === undefined ? value : { ...named, ...rest };
    const entries = Object.entries(whole).map(([name, child]) => [name, inline(child)]);
    return Object.fromEntries(entries);
  };
  return inline(root) as Schema;
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
export const code = (value: unknown) => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** The schema without the alternative `null`, and whether it had one. */
function withoutNull(schema: Schema): { bare: Schema; nullable: boolean } {
  const { anyOf, type } = schema;
  if (anyOf?.some((option) => option.type === "null")) {
    const { anyOf: _, ...outside } = schema;
    const rest = anyOf.filter((option) => option.type !== "null");
    return { bare: { ...outside, ...(rest.length === 1 ? rest[0] : { anyOf: rest }) }, nullable: true };
  }
  if (Array.isArray(type) && type.includes("null")) {
    return { bare: { ...schema, type: type.filter((name) => name !== "null") }, nullable: true };
  }
  return { bare: schema, nullable: false };
}

const largest = 1_000_000_000_000;

function bounds({ minimum, exclusiveMinimum, maximum, minLength, maxLength }: Schema): string {
  const top = maximum !== undefined && maximum < largest ? maximum : undefined;
  if (exclusiveMinimum !== undefined)
    return `, over ${exclusiveMinimum}${top === undefined ? "" : `, up to ${top}`}`;
  if (minimum !== undefined) return top === undefined ? `, ${minimum} or more` : `, ${minimum} to ${top}`;
  if (maxLength !== undefined) return `, ${minLength ?? 0} to ${maxLength} characters`;
  return minLength !== undefined && minLength > 1 ? `, ${minLength} characters or more` : "";
}

/** A value's form in words. */
function form(schema: Schema): string {
  const { bare, nullable } = withoutNull(schema);
  const words = formOf(bare);
  return nullable ? `${words}; or null` : words;
}

function formOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map(code).join(", ");
  if (schema.const !== undefined) return code(schema.const);
  if (schema.$ref) return "any JSON";
  if (schema.anyOf) return schema.anyOf.map(formOf).join(" or ");
  const types = [schema.type ?? "any JSON"].flat();
  const words = types.map((type) => {
    if (type === "string")
      return schema.format === "date-time" ? "date and time (ISO 8601)" : `text${bounds(schema)}`;
    if (type === "integer") return `whole number${bounds(schema)}`;
    if (type === "number") return `number${bounds(schema)}`;
    if (type === "boolean") return "`true` or `false`";
    if (type === "array") return schema.items?.properties ? "list" : `list of ${formOf(schema.items ?? {})}`;
    if (type === "object") return schema.properties ? "fields, below" : "names and values";
    return type;
  });
  return words.join(" or ");
}

function standing(schema: Schema, required: boolean): string {
  if (required) return "required";
  const { default: value } = schema;
  if (value === undefined) return "";
  const empty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return empty ? "" : code(value);
}

/** One row a field; the fields of objects and of lists of objects follow with their whole path. */
function fieldRows(schema: Schema, prefix = "", without: readonly string[] = []): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix + name;
    if (without.includes(path)) return [];
    const purpose = `${field.description ?? ""}${field.secret ? " Kept sealed." : ""}`.trim();
    const row = [code(path), form(field), standing(field, schema.required?.includes(name) ?? false), purpose];
    const { bare } = withoutNull(field);
    const inside = bare.items?.properties
      ? fieldRows(bare.items, `${path}[].`, without)
      : fieldRows(bare, `${path}.`, without);
    return [row, ...inside];
  });
}

const fieldHead = ["Field", "Form", "Default", "What it is"] as const;
/** A table of all fields of a schema; `without` names paths to leave out, with everything in them. */
export const fields = (schema: z.ZodType, prefix = "", without: readonly string[] = []) => {
  const rows = fieldRows(schemaOf(schema), prefix, without);
  return rows.length === 0 ? "There are none." : table(fieldHead, rows);
};

/** A table of fields that are always sent, and of optional ones, which have no default. */
export const payload = (schema: z.ZodType, without: readonly string[] = []) => {
  const rows = fieldRows(wholeSchemaOf(schema), "", without).map(
    ([name = "", words = "", is, purpose = ""]) => [
      name,
      is === "required" ? words : `${words}; may be absent`,
      purpose,
    ],
  );
  return table(["Field", "Form", "What it is"], rows);
};

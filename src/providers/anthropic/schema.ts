// Reduces a JSON Schema to the subset of Anthropic's structured outputs, with closed objects. Constraints that it
// cannot enforce move into the description, where the model still reads them, as in the vendor's own SDKs. Source:
// platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations

import { type Fields, isObject } from "#contract/normalise.ts";

const supportedKeys: ReadonlySet<string> = new Set([
  "type",
  "title",
  "description",
  "enum",
  "const",
  "default",
  "required",
  "$ref",
]);

const formats: readonly unknown[] = [
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
];

const mapsOfSchemas: readonly string[] = ["properties", "$defs", "definitions"];
const listsOfSchemas: readonly string[] = ["anyOf", "allOf", "oneOf"];

/**
 * The reduced schema; null if an object has no named properties, since closing it would make it always empty.
 */
export function structuredSchema(schema: Fields): Fields | null {
  const result: Record<string, unknown> = {};
  const sentences: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$schema" || key === "$id" || key === "additionalProperties") continue;
    if (supportedKeys.has(key) || (key === "format" && formats.includes(value))) result[key] = value;
    else if (mapsOfSchemas.includes(key) && isObject(value)) {
      const parts = Object.entries(value).map(([name, part]) => [name, structuredPart(part)] as const);
      if (parts.some(([, part]) => part === null)) return null;
      result[key] = Object.fromEntries(parts);
    } else if (listsOfSchemas.includes(key) && Array.isArray(value)) {
      const parts = value.map(structuredPart);
      if (parts.includes(null)) return null;
      // Anthropic has no `oneOf`; an answer that matches exactly one schema matches any of them.
      result[key === "oneOf" ? "anyOf" : key] = parts;
    } else if (key === "items" && isObject(value)) {
      const part = structuredPart(value);
      if (part === null) return null;
      result.items = part;
    } else if (key === "minItems" && (value === 0 || value === 1)) result[key] = value;
    else sentences.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (isObjectSchema(schema)) {
    const named = isObject(schema.properties) && Object.keys(schema.properties).length > 0;
    if (!named && schema.additionalProperties !== false) return null;
    result.additionalProperties = false;
  }
  if (sentences.length > 0) {
    const description = typeof schema.description === "string" ? `${schema.description}\n\n` : "";
    result.description = `${description}{${sentences.join(", ")}}`;
  }
  return result;
}

function structuredPart(part: unknown): unknown {
  return isObject(part) ? structuredSchema(part) : part === true ? {} : part;
}

function isObjectSchema({ type, properties }: Fields): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isObject(properties);
}

/** Whether a schema contains itself, over any number of definitions: Anthropic refuses those. */
export function isRecursive(schema: Fields): boolean {
  const definitions = new Map<string, Set<string>>();
  const root = new Set<string>();
  for (const [key, value] of Object.entries(schema)) {
    if ((key !== "$defs" && key !== "definitions") || !isObject(value)) addReferences(value, root, key);
    else
      for (const [name, part] of Object.entries(value)) {
        const references = new Set<string>();
        addReferences(part, references);
        definitions.set(`#/${key}/${name}`, references);
      }
  }
  // Depth first, without recursion: the caller decides how long a chain of definitions is.
  const path: { name: string; left: string[] }[] = [{ name: "#", left: [...root] }];
  const onPath = new Set(["#"]);
  const done = new Set<string>();
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.left.pop();
    if (next === undefined) {
      onPath.delete(top.name);
      done.add(top.name);
      path.pop();
    } else if (onPath.has(next)) return true;
    else if (!done.has(next)) {
      onPath.add(next);
      path.push({ name: next, left: [...(definitions.get(next) ?? [])] });
    }
  }
  return false;
}

/** Collects the local references of a schema. Its depth is limited by that of the request. */
function addReferences(part: unknown, references: Set<string>, key = ""): void {
  if (key === "$ref" && typeof part === "string" && part.startsWith("#")) references.add(part);
  if (Array.isArray(part)) for (const item of part) addReferences(item, references);
  else if (isObject(part))
    for (const [name, value] of Object.entries(part)) addReferences(value, references, name);
}

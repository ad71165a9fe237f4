// Makes an example value for a JSON Schema, for the sandbox's tool calls and structured answers. It understands the
// common keywords, which SDKs generate from types, but not `pattern`, `not` and the like.

import { type Fields, isObject } from "#contract/normalise.ts";
import { fieldsIn } from "#providers/translate/json.ts";

/** Schemas may refer to themselves. */
const maxDepth = 8;
/** A schema that refers to itself in many places would produce an endless value. */
const maxValues = 500;
/** Longer minimums for texts and lists are ignored. */
const maxTextLength = 200;
const maxItems = 10;
/** Maximum total JSON size of values of `const`, `default` and `enum`, UTF-16 units; further ones are null. */
const maxGivenLength = 100_000;
/** A longer `$ref` refers to nothing. */
const maxRefLength = 1_024;

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  time: "00:00:00Z",
  duration: "PT1S",
  email: "someone@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** A value that fits the schema's common keywords; null if it is not a schema. */
export function exampleOf(schema: unknown): unknown {
  const root = isObject(schema) ? schema : {};
  let left = maxValues;
  let leftLength = maxGivenLength;

  /** A value that is contained in the schema. Many places may refer to a long one. */
  function literal(value: unknown): unknown {
    if (leftLength > 0) leftLength -= JSON.stringify(value).length;
    return leftLength > 0 ? value : null;
  }

  function of(schemaOrRef: unknown, depth: number): unknown {
    const schema = resolveRef(schemaOrRef, root);
    left -= 1;
    if (!isObject(schema) || depth > maxDepth || left < 0) return null;
    if ("const" in schema) return literal(schema.const);
    if (schema.default !== undefined) return literal(schema.default);
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return literal(schema.enum[0]);
    const [alternative] = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(fieldsIn);
    if (alternative) return of(alternative, depth + 1);
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    switch (type ?? (isObject(schema.properties) ? "object" : null)) {
      case "object":
        return object(isObject(schema.properties) ? schema.properties : {}, depth);
      case "array":
        return depth === maxDepth ? [] : items(schema, depth);
      case "string":
        return textFor(schema);
      case "integer":
      case "number":
        return numberFor(schema);
      case "boolean":
        return true;
      default:
        return null;
    }
  }

  function object(properties: Fields, depth: number): Fields {
    const entries: [string, unknown][] = [];
    for (const name in properties) {
      if (left <= 0) break;
      entries.push([name, of(properties[name], depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  function items(schema: Fields, depth: number): unknown[] {
    const min = Math.min(sizeOf(schema.minItems), maxItems);
    const max = typeof schema.maxItems === "number" ? sizeOf(schema.maxItems) : Number.POSITIVE_INFINITY;
    const count = Math.min(Math.max(1, min), max);
    return Array.from({ length: count }, () => of(schema.items, depth + 1));
  }

  return of(schema, 0);
}

/** The target of a `$ref` inside the schema, `#/$defs/…`; chains are followed a few steps. */
function resolveRef(schema: unknown, root: Fields): unknown {
  let target = schema;
  for (let steps = 0; steps < 10 && isObject(target) && typeof target.$ref === "string"; steps++) {
    // It is read for each value that refers to it.
    if (target.$ref.length > maxRefLength) return null;
    const names = target.$ref.split("/").slice(1);
    target = names.reduce<unknown>(
      (at, name) => (isObject(at) ? at[name.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
      root,
    );
  }
  return target;
}

const sizeOf = (value: unknown) => (Number.isInteger(value) && Number(value) > 0 ? Number(value) : 0);

function textFor({ format, minLength, maxLength }: Fields): string {
  const known = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known !== undefined) return known;
  const text = "example".padEnd(Math.min(sizeOf(minLength), maxTextLength), "e");
  return typeof maxLength === "number" ? text.slice(0, sizeOf(maxLength)) : text;
}

function numberFor({ type, minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Fields): number {
  const whole = type !== "number";
  const step = whole ? 1 : 0.5;
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  const above = number(exclusiveMinimum);
  const below = number(exclusiveMaximum);
  const min = number(minimum) ?? (above === null ? null : above + step);
  const max = number(maximum) ?? (below === null ? null : below - step);
  if (min !== null) return whole ? Math.ceil(min) : min;
  return max !== null && max < 1 ? (whole ? Math.floor(max) : max) : 1;
}

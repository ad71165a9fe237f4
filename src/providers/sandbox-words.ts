// What the sandbox says: the last words of the user, arguments that fit a tool's schema, a vector for a text. The
// same question always gets the same answer, so that a demo can be repeated and a test can know it.

import { type Fields, fieldsIn, isFields, textOf } from "./vendor-json.ts";

export const nothingSaid = "(nothing was said)";

/** The texts of a message's content, whichever of its forms it has. */
function contentOf(message: Fields | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  return fieldsIn(content)
    .map((part) => textOf(part.text))
    .join("");
}

/** What the user said last; never empty, since an empty answer counts as a failure. */
export function lastWords(messages: unknown): string {
  const said = contentOf(fieldsIn(messages).findLast(({ role }) => role === "user"));
  return said.trim() === "" ? nothingSaid : said;
}

/** What a tool just answered; null where the last message is no tool's. */
export function toolsWords(messages: unknown): string | null {
  const last = fieldsIn(messages).at(-1);
  return last?.role === "tool" ? contentOf(last) : null;
}

/** The words of a text, each with the space behind it. */
export function wordsOf(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? [text];
}

/** The first function that may be called, with arguments that fit its schema (JSON text); null: none may. */
export function toolCall(body: Fields): { name: string; arguments: string } | null {
  if (body.tool_choice === "none") return null;
  const tool = fieldsIn(body.tools).find(({ type }) => type === "function")?.function;
  const name = isFields(tool) ? textOf(tool.name) : "";
  if (!isFields(tool) || name === "") return null;
  const value = exampleOf(tool.parameters, 0);
  return { name, arguments: JSON.stringify(isFields(value) ? value : {}) };
}

/** Schemas may refer to themselves, and a value of this depth convinces anybody. */
const deepest = 6;

/** A value that a JSON Schema describes, as far as its plain words go. */
function exampleOf(schema: unknown, depth: number): unknown {
  if (!isFields(schema) || depth > deepest) return null;
  if ("const" in schema) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  const [alternative] = [schema.anyOf, schema.oneOf].flatMap(fieldsIn);
  if (alternative) return exampleOf(alternative, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type ?? (isFields(schema.properties) ? "object" : null)) {
    case "object":
      return Object.fromEntries(
        Object.entries(isFields(schema.properties) ? schema.properties : {}).map(([name, one]) => [
          name,
          exampleOf(one, depth + 1),
        ]),
      );
    case "array":
      return [exampleOf(schema.items, depth + 1)];
    case "string":
      return "example";
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 1;
    case "boolean":
      return true;
    default:
      return null;
  }
}

/** A vector of length 1 that depends on every character of the text, and on nothing else. */
export function vectorOf(text: string, dimensions: number): number[] {
  const raw = Array.from({ length: dimensions }, (_, at) => {
    // FNV-1a, seeded by the place in the vector.
    let hash = (2_166_136_261 ^ at) >>> 0;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619) >>> 0;
    // Its low bits of a short text are nearly those of the seed.
    return (Math.imul(hash ^ (hash >>> 15), 2_246_822_519) >>> 0) / 2 ** 31 - 1;
  });
  const length = Math.hypot(...raw) || 1;
  return raw.map((value) => value / length);
}

/** About what a text is in tokens. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

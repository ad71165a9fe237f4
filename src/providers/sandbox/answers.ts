// The sandbox's content: the user's last text, arguments that fit a tool's schema, a vector for a text. Equal
// requests get equal answers, so that demos and tests are repeatable.

import { type Fields, isObject } from "#contract/normalise.ts";
import { fieldsIn, textOf } from "#providers/translate/json.ts";
import { exampleOf } from "./schema-example.ts";

export const emptyAnswerText = "(nothing was said)";

/** The text of a message's content, in either of its forms. */
function contentOf(message: Fields | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  return fieldsIn(content)
    .map((part) => textOf(part.text))
    .join("");
}

/** The user's last text; never empty, because an empty answer counts as a failure. */
export function lastUserText(messages: unknown): string {
  const question = contentOf(fieldsIn(messages).findLast(({ role }) => role === "user"));
  return question.trim() === "" ? emptyAnswerText : question;
}

/** The result that a tool just returned; null if the last message is not a tool's. */
export function toolResultText(messages: unknown): string | null {
  const last = fieldsIn(messages).at(-1);
  return last?.role === "tool" ? contentOf(last) : null;
}

/** The words of a text, each with the space after it. */
export function splitWords(text: string): string[] {
  return text.match(/^\s+\S+\s*|\S+\s*/g) ?? [text];
}

/** The first allowed function, with arguments (JSON text) that fit its schema; null if none is allowed. */
export function toolCall(body: Fields): { name: string; arguments: string } | null {
  if (body.tool_choice === "none") return null;
  const tool = fieldsIn(body.tools).find(({ type }) => type === "function")?.function;
  const name = isObject(tool) ? textOf(tool.name) : "";
  if (!isObject(tool) || name === "") return null;
  const value = exampleOf(tool.parameters);
  return { name, arguments: JSON.stringify(isObject(value) ? value : {}) };
}

/** A vector of length 1 that depends only on the characters of the text. */
export function embed(text: string, dimensions: number): number[] {
  const raw = Array.from({ length: dimensions }, (_, at) => {
    // FNV-1a, seeded by the index in the vector.
    let hash = (2_166_136_261 ^ at) >>> 0;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619) >>> 0;
    // For a short text, the low bits are nearly those of the seed.
    return (Math.imul(hash ^ (hash >>> 15), 2_246_822_519) >>> 0) / 2 ** 31 - 1;
  });
  const length = Math.hypot(...raw) || 1;
  return raw.map((value) => value / length);
}

const unitsPerToken = 4;

/** Estimated tokens of a text. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / unitsPerToken);
}

/** The text, cut to a number of tokens; anything but an integer of at least 1 means no limit. */
export function truncateToTokens(text: string, tokens: unknown): string {
  if (!Number.isInteger(tokens) || Number(tokens) < 1) return text;
  const units = Number(tokens) * unitsPerToken;
  // Do not cut a surrogate pair in two.
  const whole = /[\ud800-\udbff]/.test(text.charAt(units - 1)) ? units - 1 : units;
  return text.length <= units ? text : text.slice(0, whole);
}

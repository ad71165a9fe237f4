// Fills a hook's template from a body. A value never becomes part of the syntax of a mail or of a line: it is escaped for its channel where
// it is written. The result is bounded, and never fails.

import { maxItems, type Part, type Path, type Template } from "#contract/hooks/template.ts";

/** A value is written to at most so many characters. */
const maxValueLength = 1_000;
/** Scalars of a list that is written as one value. */
const maxListed = 20;

interface Filled {
  text: string;
  /** The placeholders without a value in the body, as they are written. */
  missing: string[];
}

interface Filling {
  /** Stands for a missing value. */
  missing: string;
  /** Beyond this length no value and no item is added; plain text ends here. */
  maxLength: number;
  escape(value: string): string;
}

/** The value at a path of parsed JSON; undefined if there is none. A list has `length`. */
function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current)) {
      if (step === "length") current = current.length;
      else current = typeof step === "number" ? current[step] : undefined;
    } else {
      const isField = typeof current === "object" && current !== null && Object.hasOwn(current, step);
      current = isField ? (current as Record<string, unknown>)[step] : undefined;
    }
  }
  return current;
}

/** A scalar as text, a list of scalars with commas; null for anything else, and for a blank text. */
function textOf(value: unknown): string | null {
  switch (typeof value) {
    case "string":
      return value.trim() === "" ? null : cut(value, maxValueLength);
    case "number":
    case "boolean":
      return String(value);
    default:
      break;
  }
  if (!Array.isArray(value)) return null;
  const texts = value.slice(0, maxListed).map((item) => (Array.isArray(item) ? null : textOf(item)));
  if (texts.length === 0 || texts.includes(null)) return null;
  return cut(texts.join(", "), maxValueLength);
}

/** At most `max` UTF-16 units, the last of which is then an ellipsis. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

/**
 * The text of a template for a body. In a list, a path begins at the item, and at the body if the item has no such value.
 *
 * @example
 * fill(template, { status: "firing" }, { missing: "?", maxLength: 1_000, escape: (value) => value });
 */
export function fill(template: Template, body: unknown, filling: Filling): Filled {
  const missing = new Set<string>();
  let text = "";

  function write(parts: readonly Part[], scopes: readonly unknown[]): void {
    for (const part of parts) {
      if (part.kind === "text") text += part.text;
      else if (part.kind === "each") writeItems(part, scopes);
      else if (text.length < filling.maxLength) text += filling.escape(find(part, scopes));
    }
  }

  function writeItems({ source, path, parts }: Extract<Part, { kind: "each" }>, scopes: readonly unknown[]) {
    const list = valueAt(body, path);
    if (!Array.isArray(list)) {
      missing.add(source);
      return;
    }
    let written = 0;
    for (; written < Math.min(list.length, maxItems) && text.length < filling.maxLength; written += 1)
      write(parts, [list[written], ...scopes]);
    if (written < list.length) text += filling.escape(`+${list.length - written} …\n`);
  }

  function find(
    { source, alternatives }: Extract<Part, { kind: "value" }>,
    scopes: readonly unknown[],
  ): string {
    for (const alternative of alternatives) {
      if ("text" in alternative) return alternative.text;
      for (const scope of scopes) {
        const found = textOf(valueAt(scope, alternative.path));
        if (found !== null) return found;
      }
    }
    missing.add(source);
    return filling.missing;
  }

  write(template, [body]);
  return { text, missing: [...missing] };
}

/** Plain text of several lines: no other control characters, no blanks at the ends of lines, no two empty lines together. */
export function plainText(text: string, max: number): string {
  const lines = text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ")
    .split("\n")
    .map((line) => line.replace(/ {2,}/g, " ").trimEnd());
  const kept = lines.filter((line, at) => line !== "" || (at > 0 && lines[at - 1] !== ""));
  return cut(kept.join("\n").trim(), max);
}

/** One line, such as a mail's subject. */
export const singleLine = (text: string, max: number): string =>
  cut(
    text
      .toWellFormed()
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ")
      .trim(),
    max,
  );

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A value inside a mail's HTML, in a text or in an attribute with quotes. */
export const htmlText = (value: string): string =>
  plainText(value, maxValueLength)
    .replace(/[&<>"']/g, (character) => entities[character]!)
    .replaceAll("\n", "<br>\n");

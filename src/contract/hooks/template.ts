// The templates of hooks: text with `{{alerts[0].labels.alertname}}`. A value may have alternatives, `{{annotations.summary | status | "none"}}`,
// of which the first that the body has is used, and one list may be repeated: `{{#each alerts}}…{{/each}}`. There is nothing else, so a
// template costs at most its length times `maxItems`. No zod here: the types of a parsed template are used where messages are made.

export const maxTemplateLength = 4_000;
/** Items of a list that are written; the number of the others follows them. */
export const maxItems = 20;
const maxPlaceholders = 100;
const maxAlternatives = 8;
const maxSegments = 16;

/** The names of fields and the places in lists that lead to a value. `this` in a list is the empty path. */
export type Path = readonly (string | number)[];

type Alternative = { path: Path } | { text: string };

export type Part =
  | { kind: "text"; text: string }
  /** `source`: as it is written, for messages. */
  | { kind: "value"; source: string; alternatives: readonly Alternative[] }
  | { kind: "each"; source: string; path: Path; parts: readonly Part[] };

export type Template = readonly Part[];

type Parsed = { kind: "parsed"; template: Template } | { kind: "faulty"; fault: string };

const name = /[\p{L}_$@][\p{L}\p{N}_$@-]*/uy;
const place = /\[(\d{1,4})\]/y;
const quotedName = /\["([^"\]]{1,200})"\]/y;
const literal = /^"([^"]{0,200})"$/;

/** The match of a sticky expression at a place; null if there is none. */
function at(expression: RegExp, text: string, from: number): RegExpExecArray | null {
  expression.lastIndex = from;
  return expression.exec(text);
}

/** `labels.app`, `alerts[0].status`, `labels["app.kubernetes.io/name"]`; null for any other text. */
export function parsePath(text: string): Path | null {
  if (text === "this") return [];
  const path: (string | number)[] = [];
  let from = 0;
  while (from < text.length) {
    if (path.length === maxSegments) return null;
    const bracket = at(place, text, from) ?? at(quotedName, text, from);
    if (bracket !== null) {
      path.push(bracket[0][1] === '"' ? bracket[1]! : Number(bracket[1]));
      from += bracket[0].length;
      continue;
    }
    if (path.length > 0 && text[from] !== ".") return null;
    const start = path.length > 0 ? from + 1 : from;
    const found = at(name, text, start);
    if (found === null) return null;
    path.push(found[0]);
    from = start + found[0].length;
  }
  return path.length === 0 ? null : path;
}

function parseAlternatives(source: string): Alternative[] | null {
  const words = source.split("|", maxAlternatives + 1).map((word) => word.trim());
  if (words.length > maxAlternatives) return null;
  const alternatives: Alternative[] = [];
  for (const word of words) {
    const text = literal.exec(word)?.[1];
    const path = text === undefined ? parsePath(word) : null;
    if (text === undefined && path === null) return null;
    alternatives.push(text === undefined ? { path: path! } : { text });
  }
  return alternatives;
}

/** What a placeholder says in a message: its beginning, on one line. */
const quoted = (source: string) => JSON.stringify(source.length > 40 ? `${source.slice(0, 40)}…` : source);

/**
 * Reads a template. A fault is the end of a sentence that begins with the name of the field.
 *
 * @example
 * parseTemplate("{{status}}: {{labels.alertname}}");
 */
export function parseTemplate(text: string): Parsed {
  const faulty = (fault: string): Parsed => ({ kind: "faulty", fault });
  if (text.length > maxTemplateLength) return faulty(`has more than ${maxTemplateLength} characters`);
  const template: Part[] = [];
  let list: { source: string; path: Path; parts: Part[] } | null = null;
  let from = 0;
  for (let count = 0; ; count += 1) {
    const parts = list?.parts ?? template;
    const start = text.indexOf("{{", from);
    const plain = start === -1 ? text.slice(from) : text.slice(from, start);
    if (plain !== "") parts.push({ kind: "text", text: plain });
    if (start === -1) break;
    if (count === maxPlaceholders) return faulty(`has more than ${maxPlaceholders} placeholders`);
    const end = text.indexOf("}}", start);
    if (end === -1) return faulty(`has a {{ without }} after ${quoted(text.slice(start, start + 20))}`);
    const source = text.slice(start + 2, end).trim();
    from = end + 2;
    // A line that only begins or ends a list is no line of the message.
    if (/^[#/]/.test(source) && text[from] === "\n") from += 1;
    if (source === "/each") {
      if (list === null) return faulty("has an {{/each}} without an {{#each}}");
      template.push({ kind: "each", ...list });
      list = null;
    } else if (/^#each\s/.test(source)) {
      if (list !== null) return faulty("has an {{#each}} inside another one");
      const path = parsePath(source.slice(5).trim());
      if (path === null) return faulty(`has no path in ${quoted(source)}`);
      list = { source: source.slice(5).trim(), path, parts: [] };
    } else {
      const alternatives = parseAlternatives(source);
      if (alternatives === null)
        return faulty(`has ${quoted(source)}, which is no path such as alerts[0].labels.alertname`);
      parts.push({ kind: "value", source, alternatives });
    }
  }
  if (list !== null) return faulty("has an {{#each}} without an {{/each}}");
  return { kind: "parsed", template };
}

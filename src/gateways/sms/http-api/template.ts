// Substitutes `{{to}}`, `{{message}}`, `{{id}}` and `{{from}}` in the requests of an `http-api` gateway, once, with the escaping of their
// place. A `{{…}}` inside a value, and any other one, is kept as text.

const fields = ["to", "message", "id", "from"] as const;
type Field = (typeof fields)[number];
export type Values = Record<Field, string>;

/** A sample message for checking settings. */
export const sampleValues: Values = { to: "+15550100", message: "Hello", id: "msg_0", from: "Sample" };

const pattern = /\{\{\s*(to|message|id|from)\s*\}\}/g;

type Plain = string | number | boolean | null | Plain[] | { [name: string]: Plain };

interface Templates {
  url: string;
  headers: Record<string, string>;
  body?: Plain | undefined;
}

/** Whether the field is used anywhere. */
export function hasField(templates: Templates, field: Field): boolean {
  const used = new RegExp(`\\{\\{\\s*${field}\\s*\\}\\}`);
  return [templates.url, ...Object.values(templates.headers), ...leaves(templates.body)].some((text) =>
    used.test(text),
  );
}

/** Every text and number in a template, without keys. */
export function leaves(template: Plain | undefined): string[] {
  if (typeof template === "string" || typeof template === "number") return [String(template)];
  if (typeof template !== "object" || template === null) return [];
  return Object.values(template).flatMap(leaves);
}

/** The texts of a template between its fields. The operator wrote them, so they may be secrets. */
export function literals(template: string): string[] {
  return template.split(/\{\{\s*(?:to|message|id|from)\s*\}\}/);
}

function fill(template: string, values: Values, escaped: (value: string) => string): string {
  return template.replace(pattern, (_match, field: Field) => escaped(values[field]));
}

/**
 * Fields in the path and the query, percent-encoded. Null if the path would contain a value of `.` or `..`: URL parsers resolve those, in
 * every encoding, and the request would reach another path.
 */
export function fillUrl(template: string, values: Values): string | null {
  const path = template.split("?", 1)[0] ?? "";
  for (const [, field] of path.matchAll(pattern)) {
    if (/^\.{1,2}$/.test(values[field as Field])) return null;
  }
  return fill(template, values, percentEncoded);
}

/** Encodes like `encodeURIComponent`, which throws on half a surrogate pair. */
function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/**
 * Fields in a header. Control characters, such as CR and LF, become spaces; text beyond ASCII is percent-encoded, because a
 * header cannot carry it.
 */
export function fillHeader(template: string, values: Values): string {
  return fill(template, values, (value) =>
    value
      .toWellFormed()
      .replace(/[\u0000-\u001f\u007f]+/g, " ")
      .replace(/[^\x20-\x7e]+/gu, encodeURIComponent),
  );
}

/** The JSON body: fields substituted in the parsed structure, or JSON-escaped in a text. */
export function fillJson(template: Plain, values: Values): string {
  if (typeof template === "string") {
    return fill(template, values, (value) => JSON.stringify(value).slice(1, -1));
  }
  return JSON.stringify(filled(template, values));
}

function filled(template: Plain, values: Values): Plain {
  if (typeof template === "string") return fill(template, values, (value) => value);
  if (typeof template !== "object" || template === null) return template;
  if (Array.isArray(template)) return template.map((item) => filled(item, values));
  return Object.fromEntries(Object.entries(template).map(([name, item]) => [name, filled(item, values)]));
}

/** The body as `application/x-www-form-urlencoded`, for a form or a query. A list repeats its field. */
export function fillForm(template: Plain, values: Values): string {
  if (typeof template === "string") return fill(template, values, formEncoded);
  if (typeof template !== "object" || template === null) return "";
  const form = new URLSearchParams();
  for (const [name, item] of Object.entries(template)) {
    for (const value of [item].flat()) form.append(name, String(filled(value, values)));
  }
  return form.toString();
}

function formEncoded(value: string): string {
  return new URLSearchParams([["", value]]).toString().slice(1);
}

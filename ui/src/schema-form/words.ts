// The words of a form, made from the API's: labels without units, descriptions that do not name JSON's null, and a sentence for each choice.

import { type Schema, withoutNull } from "./model.ts";

const written: Readonly<Record<string, string>> = {
  ai: "AI",
  api: "API",
  email: "email",
  http: "HTTP",
  id: "ID",
  ids: "IDs",
  sms: "SMS",
  tls: "TLS",
  ttl: "TTL",
  url: "URL",
  whatsapp: "WhatsApp",
};

const suffix = /_(ms|s|bytes)$/;

/** The field's title, or its name: `auth_token` as `Auth token`, `base_url` as `Base URL`, `idle_ms` as `Idle`. */
export const labelOf = (name: string, { title }: Pick<Schema, "title"> = {}): string =>
  title ??
  capital(
    name
      .replace(suffix, "")
      .split("_")
      .map((word) => written[word] ?? word)
      .join(" "),
  );

/** The titles of a form's fields by their paths in errors; a field of a group without one has that of the group before its name. */
export const titlesOf = (form: Schema) => (path: string) => {
  const names = path.split(".").filter((part, at) => !/^\d+$/.test(part) && (at > 0 || part !== "settings"));
  const schema = path.split(".").reduce<Schema | undefined>((whole = {}, name) => {
    const { properties, items, title, additionalProperties: free } = withoutNull(whole).schema;
    const item = items && (title === undefined ? items : { ...items, title });
    return properties?.[name] ?? item ?? (typeof free === "object" ? free : undefined);
  }, form);
  return names.length === 0 ? undefined : labelOf(names.join("_"), schema);
};

/** A unit, and how many of the API's units it is. */
export type Unit = readonly [name: string, times: number];

const second: readonly Unit[] = [
  ["s", 1],
  ["min", 60],
  ["h", 3_600],
  ["d", 86_400],
];
const units: Readonly<Record<string, readonly Unit[]>> = {
  ms: [["ms", 1], ...second.map(([name, times]): Unit => [name, times * 1_000])],
  s: second,
  bytes: [
    ["bytes", 1],
    ["KiB", 1_024],
    ["MiB", 1_048_576],
  ],
};

/** The units in which a number is entered, smallest first; null for a plain number. It names its unit, or the API's name ends with it. */
export function unitsOf(name: string, { unit }: Pick<Schema, "unit"> = {}): readonly Unit[] | null {
  if (unit !== undefined) return [[unit, 1]];
  return units[suffix.exec(name)?.[1] ?? ""] ?? null;
}

/** The largest unit of which the value is a whole number. */
export const unitFor = (value: unknown, of: readonly Unit[]): Unit =>
  of.findLast(([, times]) => typeof value === "number" && value > 0 && value % times === 0) ??
  (of[0] as Unit);

/** `no limit` as `No limit`. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface Prose {
  text: string | undefined;
  /** The meaning of an empty control, such as `no limit`; null if the description has none. */
  empty: string | null;
}

/** The description of a value, as a person reads it beside a control. */
export function proseOf({ description }: Pick<Schema, "description">): Prose {
  if (description === undefined) return { text: undefined, empty: null };
  let empty: string | null = null;
  const text = description
    .replace(/, (?:in )?(?:ms|s|bytes|seconds)(?=[.,:;]|$)/, "")
    .replace(" (ISO 8601)", "")
    .replace(/(;|\.) null(?: for|:) ([^.]+)\./i, (_, mark: string, meaning: string) => {
      empty = meaning;
      return mark === ";" ? "." : mark;
    })
    .replaceAll("null if", "empty if")
    .replaceAll("If null,", "If not set,");
  return { text, empty };
}

/**
 * What a description says of each choice, and what else it says: "Who is called. `one`: the first. `two`: both." Null unless it says
 * something of every choice.
 */
export function sentencesOf(
  text: string,
  choices: readonly string[],
): { rest: string; of: ReadonlyMap<string, string> } | null {
  const of = new Map<string, string>();
  const rest: string[] = [];
  for (const part of text.split(/(?<=[.;] )(?=`[\w-]+`: )|(?= If not set,)/)) {
    const [, word, sentence = ""] = /^`([\w-]+)`: (.*)$/.exec(part.trim()) ?? [];
    if (word === undefined) rest.push(part.trim());
    else of.set(word, capital(sentence.replace(/;$/, ".")));
  }
  return choices.every((choice) => of.has(choice)) ? { rest: rest.join(" "), of } : null;
}

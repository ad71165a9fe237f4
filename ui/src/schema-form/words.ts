// The words of a form, made from the API's: labels without units, and descriptions that do not name JSON's null.

import type { Schema } from "./model.ts";

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

/** Names that say too little without their unit. */
const titles: Readonly<Record<string, string>> = {
  lateness_ms: "Too late after",
  first_ms: "First wait",
  max_ms: "Longest wait",
  for_ms: "Give up after",
  max_bytes: "Largest file",
  max_files: "Files per request",
  ttl_s: "Lifetime",
  per_second: "Messages per second",
  per_day: "Messages per day",
  jitter_ms: "Random pause",
  on_unknown: "Unknown outcomes",
  low_percent: "Warn at percent",
  unpriced: "Models without a price",
  max_share: "Largest share",
  params: "Parameters",
  repeat: "Repeats",
};

/** Fields with a default that are not folded away: most people set them. */
export const neverFolded: ReadonlySet<string> = new Set(["models", "priority"]);

/** The cards of fields that belong together, in the order of the page. Objects are cards of their own. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Failover: ["deadline_ms", "repeat", "wait_ms", "affinity"],
  Answers: ["stream_mode", "whole_answers", "headers_after_ms", "params", "answer_model"],
};

/** The title of the card that a field is in; null if it has none. */
export const groupOf = (name: string): string | null =>
  Object.keys(groups).find((title) => groups[title]?.includes(name)) ?? null;

const suffix = /_(ms|s|bytes)$/;

/** `auth_token` as `Auth token`, `base_url` as `Base URL`, `idle_ms` as `Idle`. */
export function labelOf(name: string): string {
  const words = name
    .replace(suffix, "")
    .split("_")
    .map((word) => written[word] ?? word)
    .join(" ");
  return titles[name] ?? capital(words);
}

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

/** The units in which a number is entered, smallest first; null for a plain number. The API's names end with theirs. */
export const unitsOf = (name: string): readonly Unit[] | null => units[suffix.exec(name)?.[1] ?? ""] ?? null;

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

// The sentences of a 422: Laravel's English defaults, with the attribute as Laravel shows it. Clients match on these sentences, so even a
// changed comma breaks a client.

import { z } from "zod";
import type { Issue } from "./issue.ts";

type Path = readonly (string | number)[];

/**
 * A field as the sentences name it: an indexed one by its raw dotted path (`contact.0.schedule_at`), any other with its underscores as
 * spaces (`reply to email`).
 */
export function attribute(path: Path): string {
  const dotted = path.join(".");
  return path.length > 1 ? dotted : dotted.replaceAll("_", " ");
}

/** The sentences, one for each rule. */
export const sentences = {
  required: (path: Path) => `The ${attribute(path)} field is required.`,
  array: (path: Path) => `The ${attribute(path)} field must be an array.`,
  string: (path: Path) => `The ${attribute(path)} field must be a string.`,
  integer: (path: Path) => `The ${attribute(path)} field must be an integer.`,
  phone: (path: Path) => `The ${attribute(path)} field must be a valid phone number.`,
  email: (path: Path) => `The ${attribute(path)} field must be a valid email address.`,
  file: (path: Path) => `The ${attribute(path)} field must be a file.`,
  mimes: (path: Path, types: readonly string[]) =>
    `The ${attribute(path)} field must be a file of type: ${types.join(", ")}.`,
  base64: (path: Path) => `The ${attribute(path)} field must be valid base64.`,
  oneLine: (path: Path) => `The ${attribute(path)} field must be one line without control characters.`,
  metadata: (path: Path) =>
    `The ${attribute(path)} field must have at most 10 names of 1 to 40 characters, each with a text of at most 200.`,
  headers: (path: Path) => `The ${attribute(path)} field must not have more than 10 names.`,
  header: (path: Path) => `The ${attribute(path)} field is not a header that a request may set.`,
  atMostRecipients: (path: Path, max: number) =>
    `The ${attribute(path)} field brings the mail to more than ${max} recipients.`,
  dateFormat: (path: Path, format: string) => `The ${attribute(path)} field must match the format ${format}.`,
  url: (path: Path) => `The ${attribute(path)} field must be a valid URL.`,
  object: (path: Path) => `The ${attribute(path)} field must be an object.`,
  distinct: (path: Path) => `The ${attribute(path)} field has a duplicate value.`,
  regex: (path: Path) => `The ${attribute(path)} field format is invalid.`,
  requiredWith: (path: Path, other: Path) =>
    `The ${attribute(path)} field is required when ${attribute(other)} is present.`,
  prohibits: (path: Path, other: Path) =>
    `The ${attribute(path)} field prohibits ${attribute(other)} from being present.`,
  selected: (path: Path) => `The selected ${attribute(path)} is invalid.`,
  unsendable: (path: Path) => `The ${attribute(path)} field contains characters that cannot be sent.`,
  notAFile: (path: Path) => `The ${attribute(path)} field must not be a file.`,
  atLeast: (path: Path, min: number) => `The ${attribute(path)} field must be at least ${min}.`,
  atMost: (path: Path, max: number) => `The ${attribute(path)} field must not be greater than ${max}.`,
  atMostCharacters: (path: Path, max: number) =>
    `The ${attribute(path)} field must not be greater than ${max} characters.`,
  atMostKilobytes: (path: Path, max: number) =>
    `The ${attribute(path)} field must not be greater than ${max} kilobytes.`,
  atMostItems: (path: Path, max: number) =>
    `The ${attribute(path)} field must not have more than ${max} items.`,
  atMostRows: (path: Path, max: number) =>
    `The ${attribute(path)} field must not have more than ${max} rows in all.`,
} as const;

/**
 * The rules for which zod has no issue. A check pushes `custom` with `params` of this shape, and the sentence comes from here, where the
 * field's full path is known.
 */
export type Rule =
  | { rule: "phone" | "email" | "url" | "regex" | "unsendable" | "oneLine" | "metadata" | "distinct" }
  | { rule: "headers" | "header" }
  | { rule: "dateFormat"; format: string };

/** The sentence for a zod issue about the field at `path`. */
function sentenceFor(issue: z.core.$ZodRawIssue, path: Path): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === null || issue.input === undefined) return sentences.required(path);
      if (issue.expected === "array") return sentences.array(path);
      if (issue.expected === "number" || issue.expected === "int") return sentences.integer(path);
      if (issue.expected === "object") return sentences.object(path);
      return sentences.string(path);
    case "invalid_value":
      return sentences.selected(path);
    case "too_big":
      if (issue.origin === "string") return sentences.atMostCharacters(path, Number(issue.maximum));
      if (issue.origin === "file") return sentences.atMostKilobytes(path, Number(issue.maximum));
      if (issue.origin === "array") return sentences.atMostItems(path, Number(issue.maximum));
      return sentences.atMost(path, Number(issue.maximum));
    case "too_small":
      return sentences.atLeast(path, Number(issue.minimum));
    case "custom": {
      const rule = issue.params as Rule;
      return rule.rule === "dateFormat"
        ? sentences.dateFormat(path, rule.format)
        : sentences[rule.rule](path);
    }
    default:
      throw new Error(`No sentence for a zod issue with the code ${issue.code}.`);
  }
}

/** The result of a check by `checker()`: the issues of a normalised value in our wording; null if it passes. */
export type Check = (value: unknown, base: Path, index?: number) => Issue[] | null;

// zod's usual error is an Error with a stack trace: 10 µs for each faulty contact. This one is a plain object.
const safeParse = z.core._safeParse(z.core.$ZodError as unknown as z.core.$ZodErrorClass);

/**
 * A check of normalised values against a schema. The wording is passed to zod with each call, so nothing global is changed. `base` and
 * `index`: the value's position in the request.
 */
export function checker(schema: z.ZodType): Check {
  let at: Path = [];
  let item: number | undefined;
  const full = (path: readonly PropertyKey[] | undefined): Path => [
    ...at,
    ...(item === undefined ? [] : [item]),
    ...((path ?? []) as Path),
  ];
  const context = { error: (issue: z.core.$ZodRawIssue) => sentenceFor(issue, full(issue.path)) };
  return (value, base, index) => {
    at = base;
    item = index;
    const result = safeParse(schema, value, context);
    if (result.success) return null;
    return result.error.issues.map((issue) => ({ path: full(issue.path), message: issue.message }));
  };
}

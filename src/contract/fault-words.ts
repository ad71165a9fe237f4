// Error messages about a value, for the author of a request of the management API or of the provisioning file. They follow the value's
// path. The channel endpoints have sentences of their own (`wording.ts`).

import type { z } from "zod";

type RawIssue = z.core.$ZodRawIssue;

const types: Readonly<Record<string, string>> = {
  string: "must be a text",
  number: "must be a number",
  int: "must be a whole number",
  boolean: "must be true or false",
  array: "must be a list",
  object: "must be an object",
  record: "must be an object",
  null: "must be null",
};

const formats: Readonly<Record<string, string>> = {
  email: "must be an email address",
  url: "must be a URL",
  datetime: "must be a time such as 2026-11-21T13:00:00Z",
};

const numberOf = (amount: number | bigint, unit: string) =>
  `${amount} ${unit}${Number(amount) === 1 ? "" : "s"}`;

/** `more`: whether it is a lower bound. */
function bound(origin: string, amount: number | bigint, isLowest: boolean, inclusive: boolean): string {
  if (origin === "string" || origin === "array" || origin === "set" || origin === "map") {
    const unit = origin === "string" ? "character" : "item";
    if (isLowest && Number(amount) === 1) return "must not be empty";
    return `must have at ${isLowest ? "least" : "most"} ${numberOf(amount, unit)}`;
  }
  if (!inclusive) return `must be ${isLowest ? "more" : "less"} than ${amount}`;
  return `must be at ${isLowest ? "least" : "most"} ${amount}`;
}

function wordsFor(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return types[issue.expected];
    case "invalid_value":
      // A missing choice or constant.
      if (issue.input === undefined) return "is required";
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return bound(issue.origin, issue.minimum, true, issue.inclusive ?? true);
    case "too_big":
      return bound(issue.origin, issue.maximum, false, issue.inclusive ?? true);
    case "invalid_format":
      return formats[issue.format] ?? "has not the form that is asked for";
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_union":
      return issue.input === undefined ? "is required" : "has none of the forms that it may have";
    case "invalid_key":
      return "has a name that is not allowed";
    default:
      return undefined;
  }
}

/** For zod: the messages for values whose schema has none of its own. Values are never repeated, since they may be secrets. */
export const faultWords: { error: z.core.$ZodErrorMap } = { error: (issue) => wordsFor(issue) };

// Errors of a request, and errors of a value that its schema refuses.

import type { z } from "zod";

/** One error of a request: where (`["contact", 0, "number"]`) and what, in the words that the caller reads. */
export interface Issue {
  path: readonly (string | number)[];
  message: string;
}

/** The issues of a value that its schema refuses. Values are never repeated, since they may be secrets. `prefix`: the value's path. */
export function issuesOf(error: z.ZodError, prefix: Issue["path"] = []): Issue[] {
  return error.issues.flatMap((issue): Issue[] => {
    const parts = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    const path = [...prefix, ...parts];
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({ path: [...path, key], message: "is not a field" }));
    return [{ path, message: issue.message }];
  });
}

/** The `errors` object of a 422: dotted path to its messages, in the order of the issues. */
export function errorsByPath(issues: readonly Issue[]): Record<string, string[]> {
  const errors: Record<string, string[]> = Object.create(null);
  for (const { path, message } of issues) {
    const key = path.join(".");
    errors[key] ??= [];
    errors[key].push(message);
  }
  return errors;
}

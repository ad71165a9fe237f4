// Bodies and queries of the management API against their schemas. Every issue has its path, in the
// words of the schema, as the provisioning file tells it; values are never repeated, since they may be secrets.

import type { z } from "zod";
import { faultWords } from "#contract/fault-words.ts";
import { issuesOf } from "#contract/issue.ts";
import { type Problem, validationFailed } from "#contract/problem.ts";

/** What was asked, or the 422 to answer with. An absent body counts as an empty one. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): { value: z.output<S> } | Problem {
  const result = schema.safeParse(value ?? {}, faultWords);
  if (result.success) return { value: result.data };
  const issues = issuesOf(result.error);
  return validationFailed(
    issues.map(({ path, message }) => ({ path: path.length === 0 ? ["body"] : path, message })),
  );
}

/** The same for a query: a parameter given twice counts as its last, an empty one as not given. */
export function validateQuery<S extends z.ZodType>(
  schema: S,
  query: URLSearchParams,
): { value: z.output<S> } | Problem {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of query) if (value !== "") fields[name] = value;
  return validate(schema, { ...fields });
}

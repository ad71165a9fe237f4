// Validates a request to the management API by its head: first the query, then the body, then the path. Every issue has its path, in the
// terms of the schema, as in the provisioning file; values are never repeated, since they may be secrets.

import type { z } from "zod";
import { faultWords } from "#contract/fault-words.ts";
import { issuesOf } from "#contract/issue.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { ProblemError } from "#http/reply/problem-error.ts";
import type { Head, ManageCall } from "./call.ts";
import { queryOf } from "./request.ts";

/** What was asked; an absent body counts as an empty one. Throws a `ProblemError` with the 422. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value ?? {}, faultWords);
  if (result.success) return result.data;
  const issues = issuesOf(result.error);
  throw new ProblemError(
    validationFailed(
      issues.map(({ path, message }) => ({ path: path.length === 0 ? ["body"] : path, message })),
    ),
  );
}

/** The same for a query: a parameter given twice counts as its last, an empty one as not given. */
export function validateQuery<S extends z.ZodType>(schema: S, query: URLSearchParams): z.output<S> {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of query) if (value !== "") fields[name] = value;
  return validate(schema, { ...fields });
}

/** Throws a 404 for a parameter that its schema refuses. The account, which a path may identify by its name, was looked up before. */
function validateParams(schemas: Record<string, z.ZodType>, params: Readonly<Record<string, string>>): void {
  for (const [name, schema] of Object.entries(schemas))
    if (name !== "account" && !schema.safeParse(params[name]).success)
      throw new ProblemError(problem("not_found"));
}

/** The call with its query and its body (`input`) as the head's schemas read them. Throws a `ProblemError` for a request that they refuse. */
export function validateCall(head: Head, call: ManageCall): ManageCall & { query: unknown; input: unknown } {
  const refusal = head.refuse?.(call.principal) ?? null;
  if (refusal !== null) throw new ProblemError(refusal);
  const query = head.query && validateQuery(head.query, queryOf(call.request));
  const input = head.body && validate(head.body, call.body.value);
  if (head.params !== undefined) validateParams(head.params, call.params);
  return { ...call, query, input };
}

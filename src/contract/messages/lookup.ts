// The query of a lookup without id.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { trimOrNull } from "#contract/normalise.ts";
import { checker } from "#contract/wording.ts";
import { statuses } from "./channel.ts";

export const recentQuery = z.object({
  limit: z.int().min(1).max(200).nullish().describe("How many records; 50 by default."),
  cursor: z
    .string()
    .check((field) => {
      // Ours are short and plain; what is not cannot be one, and is not shown to the storage.
      if (!/^[\x21-\x7e]{1,512}$/.test(field.value)) {
        field.issues.push({ code: "invalid_value", values: [], input: field.value });
      }
    })
    .nullish()
    .describe("A `next_cursor` given earlier."),
  status: z.enum(statuses).nullish().describe("Only messages that stand there."),
});

const check = checker(recentQuery);
const defaultLimit = 50;

/** Text of digits as PHP's FILTER_VALIDATE_INT reads it; other values as they are. */
function asInteger(value: unknown): unknown {
  return typeof value === "string" && /^[+-]?(0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
}

/** Reads the query; of a repeated parameter the last one counts. */
export function readRecent(
  query: URLSearchParams,
):
  | { limit: number; cursor: string | null; status: (typeof statuses)[number] | null; issues: null }
  | { issues: Issue[] } {
  const last = (name: string) => trimOrNull(query.getAll(name).at(-1));
  const found = { limit: asInteger(last("limit")), cursor: last("cursor"), status: last("status") };
  const issues = check(found, []);
  if (issues !== null) return { issues };
  const { limit, cursor, status } = found as z.output<typeof recentQuery>;
  return { limit: limit ?? defaultLimit, cursor: cursor ?? null, status: status ?? null, issues: null };
}

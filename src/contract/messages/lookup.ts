// The query of a lookup without id.

import { z } from "zod";
import { cursorNote } from "#contract/envelope.ts";
import type { Issue } from "#contract/issue.ts";
import { trimOrNull } from "#contract/normalise.ts";
import { checker } from "#contract/wording.ts";
import type { Status } from "./channel.ts";
import { statusWord } from "./channel-word.ts";

export const recentQuery = z.object({
  limit: z.int().min(1).max(200).nullish().describe("The maximum number of records. The default is 50."),
  cursor: z
    .string()
    .check((field) => {
      // Cursors are short and plain; other text never reaches storage.
      if (!/^[\x21-\x7e]{1,512}$/.test(field.value)) {
        field.issues.push({ code: "invalid_value", values: [], input: field.value });
      }
    })
    .nullish()
    .describe(cursorNote),
  status: statusWord.nullish().describe("Only messages with this status."),
});

const check = checker(recentQuery);
const defaultLimit = 50;

/** Text of digits as PHP's FILTER_VALIDATE_INT reads it; other values unchanged. */
function asInteger(value: unknown): unknown {
  return typeof value === "string" && /^[+-]?(0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
}

/** Reads the query; of a repeated parameter the last one counts. */
export function readRecent(
  query: URLSearchParams,
): { limit: number; cursor: string | null; status: Status | null; issues: null } | { issues: Issue[] } {
  const last = (name: string) => trimOrNull(query.getAll(name).at(-1));
  const found = { limit: asInteger(last("limit")), cursor: last("cursor"), status: last("status") };
  const issues = check(found, []);
  if (issues !== null) return { issues };
  const { limit, cursor, status } = found as z.output<typeof recentQuery>;
  return { limit: limit ?? defaultLimit, cursor: cursor ?? null, status: status ?? null, issues: null };
}

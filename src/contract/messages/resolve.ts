// The account's own answers to an unknown outcome, as the endpoint takes them.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { trimOrNull } from "#contract/normalise.ts";
import { checker, sentences } from "#contract/wording.ts";

export const resolutions = ["send_again", "mark_sent", "mark_failed"] as const;
export type Resolution = (typeof resolutions)[number];

export const resolveRequest = z.object({
  answer: z
    .enum(resolutions)
    .describe(
      "`send_again`: it goes out once more, now. `mark_sent`: it counts as sent. `mark_failed`: it counts as failed, and its credit goes back.",
    ),
});

const check = checker(resolveRequest);

/** Reads the body; anything that is no object counts as an empty one. */
export function readResolve(
  body: unknown,
): { answer: Resolution; issues: null } | { answer: null; issues: Issue[] } {
  const given = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
  const found = { answer: trimOrNull("answer" in given ? given.answer : null) };
  // The wording knows "required" by the type that is missing, and an enum has none.
  if (found.answer === null)
    return { answer: null, issues: [{ path: ["answer"], message: sentences.required(["answer"]) }] };
  const issues = check(found, []);
  return issues === null ? { answer: found.answer as Resolution, issues: null } : { answer: null, issues };
}

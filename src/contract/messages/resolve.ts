// The request that resolves a message with an unknown outcome.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { isObject, trimOrNull } from "#contract/normalise.ts";
import { checker, sentences } from "#contract/wording.ts";

export const resolutions = ["send_again", "mark_sent", "mark_failed"] as const;
export type Resolution = (typeof resolutions)[number];

export const resolveRequest = z
  .object({
    answer: z
      .enum(resolutions)
      .describe(
        "`send_again`: the message is sent once more, at once. `mark_sent`: it counts as sent. `mark_failed`: it counts as failed, and its credit is returned.",
      ),
  })
  .meta({ id: "ResolveMessageRequest" });

const check = checker(resolveRequest);

/** Reads the body; anything that is not an object counts as an empty one. */
export function readResolve(
  body: unknown,
): { answer: Resolution; issues: null } | { answer: null; issues: Issue[] } {
  const found = { answer: trimOrNull(isObject(body) ? body.answer : null) };
  // The wording recognises a missing value by the expected type, which an enum does not have.
  if (found.answer === null)
    return { answer: null, issues: [{ path: ["answer"], message: sentences.required(["answer"]) }] };
  const issues = check(found, []);
  return issues === null ? { answer: found.answer as Resolution, issues: null } : { answer: null, issues };
}

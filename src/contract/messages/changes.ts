// The requests that change one message: one resolves an unknown outcome, the other moves it to another time.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { isObject, trimOrNull } from "#contract/normalise.ts";
import { checker, sentences } from "#contract/wording.ts";
import { isWallTime, scheduleAt, scheduleAtPattern } from "./fields.ts";

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

const checkAnswer = checker(resolveRequest);

/** Reads the body of a resolution; anything that is not an object counts as an empty one. */
export function readResolve(
  body: unknown,
): { answer: Resolution; issues: null } | { answer: null; issues: Issue[] } {
  const found = { answer: trimOrNull(isObject(body) ? body.answer : null) };
  // The wording recognises a missing value by the expected type, which an enum does not have.
  if (found.answer === null)
    return { answer: null, issues: [{ path: ["answer"], message: sentences.required(["answer"]) }] };
  const issues = checkAnswer(found, []);
  return issues === null ? { answer: found.answer as Resolution, issues: null } : { answer: null, issues };
}

const meaning =
  "The new time in the account's time zone, `Y-m-d H:i:s`. Null, or a time in the past, makes the message due at once.";

/** For the account's API key, with the wording of its other endpoints. */
export const rescheduleRequest = z
  .object({
    schedule_at: scheduleAt.schema
      .nullable()
      .describe(meaning)
      .meta({ examples: ["2030-01-31 09:00:00"], pattern: scheduleAtPattern }),
  })
  .meta({ id: "RescheduleMessageRequest" });

/** A local time or null, for the management API. */
export const newTime = z
  .string()
  .refine(isWallTime, "must be a date and time that exist, written as `Y-m-d H:i:s`")
  .nullable()
  .describe(meaning)
  .meta({ examples: ["2030-01-31 09:00:00"] });

/** For the management API: one message, or all waiting messages of a request. */
export const rescheduleMessagesRequest = z
  .strictObject({ schedule_at: newTime })
  .meta({ id: "RescheduleMessagesRequest" });

const checkTime = checker(rescheduleRequest);

/** Reads the body of a move. `scheduleAt` null: at once. */
export function readReschedule(
  body: unknown,
): { scheduleAt: string | null; issues: null } | { scheduleAt: null; issues: Issue[] } {
  const sent = isObject(body) ? body.schedule_at : undefined;
  if (sent === undefined)
    return {
      scheduleAt: null,
      issues: [{ path: ["schedule_at"], message: sentences.required(["schedule_at"]) }],
    };
  const found = trimOrNull(sent);
  if (found === null) return { scheduleAt: null, issues: null };
  const issues = checkTime({ schedule_at: found }, []);
  return issues === null ? { scheduleAt: found as string, issues: null } : { scheduleAt: null, issues };
}

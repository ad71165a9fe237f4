// Deferred completions, which are requested now and served later. The words of their states are those of OpenAI's background responses.

import { z } from "zod";
import type { Problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { wrong } from "./chat.ts";
import { chatReply, openaiErrorReply } from "./chat-shapes.ts";

export const deferredStatuses = ["queued", "in_progress", "completed", "failed", "cancelled"] as const;
export type DeferredStatus = (typeof deferredStatuses)[number];

const deliverHeader = "X-Trunkline-Deliver";
export const scheduleHeader = "X-Trunkline-Schedule-At";

/** The headers that defer a completion, for the documentation. */
export const deferHeaders = {
  [deliverHeader]: z
    .enum(["webhook"])
    .optional()
    .describe(
      "Defers the completion: the reply is a 202 with its id, it is tried through outages for up to 24 hours, and the webhook event `completion.done` reports its end.",
    ),
  [scheduleHeader]: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    .optional()
    .describe(
      `The earliest time for a deferred completion, as \`Y-m-d H:i:s\` in the account's time zone, within a year from now. Needs \`${deliverHeader}\`.`,
    )
    .meta({ examples: ["2027-01-31 09:00:00"] }),
};

/** The headers of a request. `scheduleAt`: the account's local time, or null for now. */
type Deferral = { deferred: false } | { deferred: true; scheduleAt: string | null };

/** Reads the headers that defer a completion. */
export function readDeferral(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  stream: boolean,
): Deferral | Problem {
  const deliver = headers[deliverHeader.toLowerCase()];
  const scheduleAt = headers[scheduleHeader.toLowerCase()];
  if (deliver === undefined)
    return scheduleAt === undefined ? { deferred: false } : wrong(scheduleHeader, `needs ${deliverHeader}`);
  if (deliver !== "webhook") return wrong(deliverHeader, 'must be "webhook"');
  if (stream) return wrong("stream", "must be false in a deferred completion");
  return { deferred: true, scheduleAt: typeof scheduleAt === "string" ? scheduleAt : null };
}

/** A deferred completion as its owner sees it, without its result. Times are epoch ms. */
interface DeferredState {
  id: string;
  status: DeferredStatus;
  attempts: number;
  created_at: number;
  scheduled_for: number;
  expires_at: number;
  finished_at: number | null;
}

const deferredFields = {
  id: z.string(),
  object: z.literal("deferred_completion"),
  status: z.enum(deferredStatuses),
  attempts: z.int().describe("How often the pool was called."),
  created_at: z.iso.datetime(),
  scheduled_for: z.iso.datetime().describe("The earliest time at which it is called."),
  expires_at: z.iso.datetime().describe("It fails if it has no answer by then."),
  finished_at: z.iso.datetime().nullable(),
};

export const deferredReply = z
  .object({
    ...deferredFields,
    response: z
      .union([chatReply, z.looseObject({ id: z.string() })])
      .nullable()
      .describe(
        "The completion, once the status is `completed`, in the format of the API that was called: a chat completion, a message or a response.",
      ),
    error: z
      .union([openaiErrorReply.shape.error, z.object({ type: z.string(), message: z.string() })])
      .nullable()
      .describe(
        "Why it failed, once the status is `failed`: OpenAI's error object, or Anthropic's for a message.",
      ),
  })
  .meta({ id: "DeferredCompletion" });

/** The fields of `deferredReply` in this state. */
export function presentDeferred(state: DeferredState) {
  return {
    id: state.id,
    object: "deferred_completion",
    status: state.status,
    attempts: state.attempts,
    created_at: isoTime(state.created_at),
    scheduled_for: isoTime(state.scheduled_for),
    expires_at: isoTime(state.expires_at),
    finished_at: state.finished_at === null ? null : isoTime(state.finished_at),
  };
}

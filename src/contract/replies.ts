// The shape of every reply of the channel endpoints. They feed OpenAPI and the types of the handlers; tests
// parse every reply with them.

import { z } from "zod";
import { channels } from "#contract/messages/channel.ts";
import { messageRecord } from "#contract/messages/record.ts";
import { type ProblemCode, problems } from "./problem.ts";

const instant = z.iso.datetime({ precision: 3 });

/** A send that was accepted: what it says of each contact beside its status. */
function accepted<Given extends z.ZodRawShape>(given: Given, example: string) {
  const entry = z.object({
    ...given,
    status: z.enum(["queued", "scheduled"]),
    id: z.string().describe("The message's id, for lookups."),
  });
  return z.object({
    success: z.literal(true),
    message: z.string().meta({ examples: [example] }),
    data: z.object({
      request_id: z.string().describe("Names this request; also in `X-Request-Id`."),
      contact: z.array(entry).describe("One entry per submitted contact, in the same order."),
    }),
  });
}

/** An accepted SMS send. */
export const sendReply = accepted(
  { number: z.string().describe("The number as it was given.") },
  "SMS messages have been queued.",
);

/** An accepted email send. */
export const emailSendReply = accepted(
  { email: z.string().describe("The address as it was given.") },
  "Email messages have been queued.",
);

/** One message. */
export const recordReply = z.object({ success: z.literal(true), message: z.string(), data: messageRecord });

/** A page of messages, newest first. */
export const messagesReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(messageRecord),
  next_cursor: z.string().nullable().describe("For the next page; null on the last one."),
});

const credit = z.object({ allowance: z.number(), remaining: z.number() }).nullable();

/** The calling account. */
export const currentAccountReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.object({
    name: z.string(),
    time_zone: z.string().meta({ examples: ["Europe/Berlin"] }),
    country: z.string().nullable().describe("The default country of phone numbers."),
    plan: z.object({ name: z.string(), expires_at: instant.nullable() }),
    credit: z
      .object(
        Object.fromEntries(channels.map((channel) => [channel, credit])) as Record<
          (typeof channels)[number],
          typeof credit
        >,
      )
      .describe("Per channel; null where the plan sets no allowance."),
  }),
});

/** A request with faults: dotted field path to its messages. */
export const validationReply = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z
    .literal("idempotency_mismatch")
    .optional()
    .describe("Only when the `Idempotency-Key` was used for a different request."),
  errors: z
    .record(z.string(), z.array(z.string()))
    .meta({ examples: [{ "contact.0.number": ["The contact.0.number field is required."] }] }),
});

/** Every other error. */
export const problemReply = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
});

/** A refusal of authentication. */
export const refusalReply = z.object({
  status: z.literal("error"),
  message: z.string().optional().describe("Only when the key is missing."),
  error: z.enum(["Invalid Api Key", "Your Subscription Is Expired! Buy A New Plan"]),
});

/** The process is running. */
export const liveReply = z.object({ status: z.literal("live") });

/** Whether requests can be served, and what each check says. */
export const readyReply = z.object({
  status: z.enum(["ready", "not_ready"]),
  checks: z.record(z.string(), z.string()),
});

// The management API's view of consent: the suppression list, what people wrote, and answers to unknown outcomes.

import { z } from "zod";
import { channels } from "#contract/messages/channel.ts";
import { receivedReply } from "#contract/messages/received.ts";
import { resolveRequest } from "#contract/messages/resolve.ts";
import { freeText } from "#contract/name.ts";
import { recordReply } from "#contract/replies.ts";

const channel = z.enum(channels);
const text = (max: number) => freeText(0, max);
const page = {
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("How many; 50 by default."),
  cursor: z.string().max(1024).optional().describe("A `next_cursor` given earlier."),
};

/** One entry of the suppression list. */
export const suppressionRecord = z.object({
  channel,
  recipient: z.string().describe("As messages have it: E.164, a short code, or an address in lower case."),
  reason: z
    .enum(["opt_out", "manual", "bounce", "complaint", "unsubscribe"])
    .describe("Why nothing goes there. An opt-in word takes back `opt_out` alone."),
  note: z.string().nullable(),
  created_at: z.iso.datetime({ precision: 3 }).describe("Since when (ISO 8601, UTC)."),
});
export type SuppressionRecord = z.output<typeof suppressionRecord>;

/** A page of the suppression list, in the order of channel and recipient. */
export const suppressionsReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(suppressionRecord),
  next_cursor: z.string().nullable().describe("For the next page; null on the last one."),
});

export const suppressionsQuery = z.strictObject({
  channel: channel.optional().describe("Only of this channel."),
  recipient: text(320).optional().describe("Only this recipient, in any spelling that a send would take."),
  ...page,
});

export const createSuppressionsRequest = z.strictObject({
  channel,
  recipients: z
    .array(text(320))
    .min(1)
    .max(1000)
    .describe("Numbers, or addresses, in any spelling that a send would take. All are added, or none."),
  note: text(500).nullish().describe("For whoever reads the list later."),
});

/** What was added. */
export const createdSuppressionsReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.object({
    added: z.int().describe("How many were not on the list before."),
    recipients: z.array(z.string()).describe("All that were given, as they stand on the list, each once."),
  }),
});

/** It is off the list. */
export const releasedReply = z.object({ success: z.literal(true), message: z.string(), data: z.null() });

export const manageReceivedQuery = z.strictObject({
  channel: channel.optional().describe("Only of this channel."),
  ...page,
});
export const manageReceivedReply = receivedReply;

export const manageResolveRequest = resolveRequest.strict();
export const manageResolveReply = recordReply;

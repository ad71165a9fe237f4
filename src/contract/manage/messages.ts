// The management API's words for finding an account's messages.

import { z } from "zod";
import { channels, statuses } from "#contract/messages/channel.ts";
import { messageRecord } from "#contract/messages/record.ts";

const acceptedAt = z.iso.datetime({
  offset: true,
  error: "must be a date and time (ISO 8601) with its offset",
});

export const messagesQuery = z.strictObject({
  channel: z.enum(channels).optional().describe("Only this channel's; without it, those of all channels."),
  status: z.enum(statuses).optional().describe("Only messages that stand there."),
  gateway: z.string().max(100).optional().describe("Only messages of the gateway with this identifier."),
  recipient: z
    .string()
    .max(255)
    .optional()
    .describe("Only messages to this number or address, in any of the ways to write it."),
  created_from: acceptedAt.optional().describe("Accepted then or later (ISO 8601)."),
  created_to: acceptedAt.optional().describe("Accepted before that (ISO 8601)."),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("How many at the most; 50 by default."),
  cursor: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, "is not a cursor")
    .optional()
    .describe("A `next_cursor` given earlier."),
});

/** Messages that fit, newest first. */
export const messagesReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(messageRecord),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      "For the next page; null on the last one. A page may be short, or empty, and still have one: what is rare among very many messages is looked for over several pages.",
    ),
});

const attempt = z.object({
  count: z.int().describe("Transmissions tried so far."),
  repeats: z.int().describe("How many of them were automatic repeats of one whose outcome was unknown."),
  gateway_named: z
    .boolean()
    .describe("Whether the sender chose the gateway; such a message never moves to another."),
  cost: z.int().describe("Credit that was reserved for it."),
  cost_returned: z.boolean().describe("Whether that credit was given back."),
  held: z.boolean().describe("Restored from a backup, and waiting for the operator's word."),
});

/** One message with its timeline, and what is known of its tries. */
export const accountMessageReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.object({ record: messageRecord, attempt }),
});

/** A message that was cancelled. */
export const managedCancelReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: messageRecord,
});

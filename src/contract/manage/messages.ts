// The management API's schemas for finding an account's messages.

import { z } from "zod";
import { idCursor, limit, page, reply } from "#contract/envelope.ts";
import { channelWord, statusWord } from "#contract/messages/channel-word.ts";
import { messageRecord } from "#contract/messages/record.ts";
import { resolveRequest } from "#contract/messages/resolve.ts";

const acceptedAt = z.iso.datetime({
  offset: true,
  error: "must be a date and time (ISO 8601) with its offset",
});

export const messagesQuery = z.strictObject({
  channel: channelWord.optional().describe("Only messages of this channel."),
  status: statusWord.optional().describe("Only messages with this status."),
  gateway: z.string().max(100).optional().describe("Only messages of the gateway with this identifier."),
  recipient: z
    .string()
    .max(255)
    .optional()
    .describe("Only messages to this phone number or email address, in any spelling."),
  created_from: acceptedAt.optional().describe("Only messages accepted at this time (ISO 8601) or later."),
  created_to: acceptedAt.optional().describe("Only messages accepted before this time (ISO 8601)."),
  limit,
  cursor: idCursor,
});

/** The messages that match, newest first. */
export const accountMessagesReply = page(
  "AccountMessagePage",
  messageRecord,
  " A page may be short or empty and still have a next page: a rare match among very many messages is searched over several pages.",
);

/** The request of the channel endpoint, without unknown fields. */
export const resolveAccountMessageRequest = resolveRequest
  .strict()
  .meta({ id: "ResolveAccountMessageRequest" });

const attempt = z
  .object({
    count: z.int().describe("Transmissions tried so far."),
    repeats: z.int().describe("How many of them automatically repeated one whose outcome was unknown."),
    gateway_named: z
      .boolean()
      .describe("Whether the sender chose the gateway. Such a message never moves to another one."),
    cost: z.int().describe("The credit that was reserved for the message."),
    cost_returned: z.boolean().describe("Whether that credit was returned."),
    held: z
      .boolean()
      .describe("Whether the message came from a restored backup and waits for an operator's decision."),
  })
  .meta({ id: "MessageAttempt" });

/** One message with its timeline, and what is known of its tries. */
export const accountMessageReply = reply("AccountMessageReply", z.object({ record: messageRecord, attempt }));

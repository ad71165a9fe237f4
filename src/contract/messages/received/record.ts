// Messages from people: their record in lookups, and the query of a lookup.

import { z } from "zod";
import { page } from "#contract/envelope.ts";
import type { Issue } from "#contract/issue.ts";
import { channelWord } from "#contract/messages/channel-word.ts";
import { readRecent, recentQuery } from "#contract/messages/lookup.ts";

const reply = z
  .object({
    type: z.enum(["list", "button", "flow", "preference"]),
    id: z.string(),
    title: z.string().nullable(),
    description: z.string().nullable(),
  })
  .meta({ id: "ReceivedReply" });

/** The contents of a WhatsApp message besides its text. */
const details = {
  type: z
    .string()
    .nullable()
    .describe("WhatsApp's type of the message: `text`, `image`, `location`, … Null on other channels."),
  reply: reply
    .nullable()
    .describe(
      "The row, the button or the form that the sender chose in reply to a message; `preference` if they stopped or resumed marketing messages in WhatsApp (`id`: `stop` or `resume`).",
    ),
  profile_name: z.string().nullable().describe("The sender's name on WhatsApp."),
  user_id: z
    .string()
    .nullable()
    .describe("WhatsApp's id of the sender for this business. It can replace their number."),
  forwarded: z.boolean().nullable().describe("Whether the sender forwarded it. Null on other channels."),
};

/** A message from a person to one of the account's gateways. */
export const receivedRecord = z
  .object({
    id: z.string().describe("The message's id."),
    channel: channelWord,
    from: z
      .string()
      .describe("The sender: a phone number in E.164 if it can be parsed, otherwise the provider's text."),
    to: z.string().describe("The number that the message was sent to, as the provider reports it."),
    gateway_identifier: z.string().describe("The gateway that received the message."),
    message: z.string().describe("The body."),
    media: z
      .array(z.object({ url: z.string(), content_type: z.string().nullable() }))
      .describe(
        "The files of the message, at the provider's URLs. A WhatsApp file is at a URL of Trunkline, which requires the API key.",
      ),
    in_reply_to: z
      .string()
      .nullable()
      .describe(
        "The message that this one answers, as the provider reports it, or else the latest message to that person.",
      ),
    opt: z.enum(["out", "in"]).nullable().describe("Set when the whole body is an opt-out or opt-in word."),
    ...details,
    received_at: z.iso.datetime({ precision: 3 }).describe("When the message was received (ISO 8601, UTC)."),
  })
  .meta({ id: "ReceivedMessage" });
export type ReceivedRecord = z.output<typeof receivedRecord>;

/** A page of messages from people, newest first. */
export const receivedReply = page("ReceivedMessagePage", receivedRecord);

export const receivedQuery = recentQuery.omit({ status: true });

/** Reads the query; of a repeated parameter the last one counts. */
export function readReceived(
  query: URLSearchParams,
): { limit: number; cursor: string | null; issues: null } | { issues: Issue[] } {
  // An incoming message has no status, so `status` is an unknown parameter here.
  const parameters = new URLSearchParams(query);
  parameters.delete("status");
  const read = readRecent(parameters);
  return read.issues === null ? { limit: read.limit, cursor: read.cursor, issues: null } : read;
}

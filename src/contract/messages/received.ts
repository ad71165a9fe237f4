// The records of received messages, and the query of their list.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { channels } from "./channel.ts";
import { readRecent, recentQuery } from "./lookup.ts";

/** A message from a person to one of the account's gateways. */
export const receivedRecord = z.object({
  id: z.string().describe("The message's id."),
  channel: z.enum(channels),
  from: z.string().describe("Who sent it: a number in E.164 where it can be read as one, else as it came."),
  to: z.string().describe("The number that it was sent to, as the provider says."),
  gateway_identifier: z.string().describe("The gateway that took it."),
  message: z.string().describe("The body."),
  media: z
    .array(z.object({ url: z.string(), content_type: z.string().nullable() }))
    .describe("Files that came with it, at the provider's addresses."),
  in_reply_to: z
    .string()
    .nullable()
    .describe("The message that it answers, as the provider says, or else the latest one to that person."),
  opt: z.enum(["out", "in"]).nullable().describe("Set when its whole body is an opt-out or opt-in word."),
  received_at: z.iso.datetime({ precision: 3 }).describe("When it came (ISO 8601, UTC)."),
});
export type ReceivedRecord = z.output<typeof receivedRecord>;

/** A page of them, newest first. */
export const receivedReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(receivedRecord),
  next_cursor: z.string().nullable().describe("For the next page; null on the last one."),
});

export const receivedQuery = recentQuery.omit({ status: true });

/** Reads the query; of a repeated parameter the last one counts. */
export function readReceived(
  query: URLSearchParams,
): { limit: number; cursor: string | null; issues: null } | { issues: Issue[] } {
  // A received message has no status, so the parameter is unknown here.
  const params = new URLSearchParams(query);
  params.delete("status");
  const read = readRecent(params);
  return read.issues === null ? { limit: read.limit, cursor: read.cursor, issues: null } : read;
}

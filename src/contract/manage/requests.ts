// The management API's schemas for one request: all messages that were accepted together.

import { z } from "zod";
import { instant, reply } from "#contract/envelope.ts";
import { channels, statuses } from "#contract/messages/channel.ts";

const requestRecord = z
  .object({
    id: z.string(),
    channel: z.enum(channels),
    created_at: instant,
    messages: z
      .int()
      .describe("How many messages it has: fewer than were accepted once the retention removed some."),
    by_status: z.partialRecord(z.enum(statuses), z.int()).describe("How many messages have each status."),
    waiting: z.int().describe("How many can still be cancelled or moved."),
    due: z
      .object({ first: instant, last: instant })
      .nullable()
      .describe("When the first and the last of those that wait are due; null: none waits."),
    cost: z.int().describe("The credit that was reserved for its messages."),
    cost_returned: z.int().describe("What of it was returned."),
  })
  .meta({ id: "AccountRequest" });

export const accountRequestReply = reply("AccountRequestReply", requestRecord);

/** What a change of all messages that wait did. */
export const changedRequestReply = reply(
  "ChangedRequestReply",
  z.object({
    changed: z.int().describe("How many messages were changed."),
    request: requestRecord.describe("The request after the change."),
  }),
);

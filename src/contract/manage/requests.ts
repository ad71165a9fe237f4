// The management API's schemas for one request: all messages that were accepted together.

import { z } from "zod";
import { instant, reply } from "#contract/envelope.ts";
import { channels, statuses } from "#contract/messages/channel.ts";
import { flag } from "./messages.ts";

export const accountRequestQuery = z.object({
  estimate: flag
    .optional()
    .describe("`false`: without the `estimate`, for which the service counts what is due before."),
});

const lane = z
  .object({
    gateway: z.string().describe("The gateway's identifier."),
    messages: z.int().describe("How many messages of the request it has not sent yet."),
    per_second: z.number().nullable().describe("The rate of the estimate. Null if it is unknown."),
    rate_of: z
      .enum(["measured", "pace"])
      .nullable()
      .describe(
        "`measured`: what it sent in the last five whole minutes, in all of which messages were due. `pace`: its own bound, since it did not have as much to do.",
      ),
    done_at: instant.nullable().describe("When the last of them is sent at that rate."),
    unknown_because: z
      .enum(["held", "off", "stopped", "paused", "not_linked", "no_rate", "too_many"])
      .nullable()
      .describe(
        "Why that is unknown. `held`: they wait for an operator. `off`, `stopped`, `paused`, `not_linked`: the gateway does not send. `no_rate`: it has no rate limit, and has not sent long enough to measure its rate. `too_many`: more than 100,000 messages are due earlier.",
      ),
  })
  .meta({ id: "RequestLane" });
export type RequestLaneData = z.output<typeof lane>;

const requestRecord = z
  .object({
    id: z.string(),
    channel: z.enum(channels),
    created_at: instant,
    messages: z
      .int()
      .describe("How many messages it has: fewer than were accepted once retention has removed some."),
    by_status: z.partialRecord(z.enum(statuses), z.int()).describe("How many messages have each status."),
    waiting: z.int().describe("How many can still be cancelled or moved."),
    due: z
      .object({ first: instant, last: instant })
      .nullable()
      .describe("When the first and the last waiting message are due; null if none waits."),
    estimate: z
      .object({
        messages: z.int().describe("How many have not been sent."),
        gateways: z.array(lane),
        done_at: instant
          .nullable()
          .describe(
            "When the last one is sent, at the rates of the gateways. Null if one of them is unknown.",
          ),
      })
      .nullable()
      .describe("When all will have been sent; null if they have, or no estimate was requested."),
    cost: z.int().describe("The credit that was reserved for its messages."),
    cost_returned: z.int().describe("How much of it was returned."),
  })
  .meta({ id: "AccountRequest" });

export const accountRequestReply = reply("AccountRequestReply", requestRecord);

/** The result of a change of all waiting messages. */
export const changedRequestReply = reply(
  "ChangedRequestReply",
  z.object({
    changed: z.int().describe("How many messages were changed."),
    request: requestRecord.describe("The request after the change."),
  }),
);

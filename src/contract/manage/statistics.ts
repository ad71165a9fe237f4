// The management API's schemas for the statistics of an account's messages.

import { z } from "zod";
import { instant, reply, timeParam } from "#contract/envelope.ts";
import { channelWord } from "#contract/messages/channel-word.ts";
import { flag } from "./messages.ts";

/** The range, which the statistics of pools share. */
export const rangeFields = {
  after: timeParam
    .optional()
    .describe("The range begins here (ISO 8601). The default is 24 hours before its end."),
  before: timeParam.optional().describe("The range ends before this time (ISO 8601). The default is now."),
};

export const statisticsQuery = z.strictObject({
  ...rangeFields,
  step: z
    .enum(["minute", "hour", "day"])
    .default("hour")
    .describe(
      "The length of a point. Minutes are kept for two days, hours for 92, and local days of the account forever. The range is at most a day by minutes, 31 days by hours, and 366 days by days.",
    ),
  split: z
    .enum(["none", "channel", "gateway", "test"])
    .default("none")
    .describe("What each series represents."),
  channel: channelWord.optional().describe("Only messages of this channel."),
  gateway: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Only messages of the gateway with this identifier."),
  test: flag.optional().describe("Only messages of sandbox gateways (`true`), or only others (`false`)."),
});

const percentiles = z
  .object({ p50: z.int().nullable(), p95: z.int().nullable(), p99: z.int().nullable() })
  .meta({ id: "MessageDurations", description: "In ms, within 5 %. Null if nothing was measured." });

const sum = z
  .object({
    accepted: z.int(),
    deferred: z
      .int()
      .describe("Attempts that certainly sent nothing and are repeated later. A message may have several."),
    sent: z.int(),
    delivered: z.int(),
    read: z.int(),
    undelivered: z.int(),
    failed: z.int(),
    bounced: z.int(),
    expired: z.int(),
    cancelled: z.int(),
    suppressed: z.int(),
    unknown: z.int().describe("How often messages entered this state. A report may have settled them later."),
    wait_ms: percentiles.describe("From when messages could be sent until they were."),
    delivery_ms: percentiles.describe("From when messages were sent until they were delivered."),
  })
  .meta({ id: "MessageStatisticsSum", description: "How many messages entered each state." });
export type StatisticsSum = z.output<typeof sum>;

const point = z.object({ at: instant.describe("When the point begins."), ...sum.shape }).meta({
  id: "MessageStatisticsPoint",
  description: "How many messages entered each state in this time. A message counts when it changed.",
});
export type StatisticsPoint = z.output<typeof point>;

export const statisticsReply = reply(
  "MessageStatisticsReply",
  z
    .object({
      step: z.enum(["minute", "hour", "day"]),
      after: instant.describe("The start of the first point in the range."),
      before: instant,
      time_zone: z.string().describe("The account's time zone, which determines days."),
      series: z.array(
        z
          .object({
            key: z
              .string()
              .describe(
                "According to `split`: empty, the channel, the gateway's identifier (its id, once its name is forgotten), or `test` for messages of sandbox gateways and `real` for others.",
              ),
            total: sum.describe("All points together. Its percentiles are those of the whole range."),
            points: z.array(point).describe("Oldest first. Points without events are absent."),
          })
          .meta({ id: "MessageStatisticsSeries" }),
      ),
    })
    .meta({ id: "MessageStatistics" }),
);

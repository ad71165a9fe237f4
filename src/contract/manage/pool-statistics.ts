// The management API's schemas for the calls of a pool over time.

import { z } from "zod";
import { instant, reply } from "#contract/envelope.ts";
import { rangeFields } from "./statistics.ts";
import { percentiles, usageFields } from "./usage.ts";

export const poolStatisticsQuery = z.strictObject({
  ...rangeFields,
  step: z
    .enum(["hour", "day"])
    .default("hour")
    .describe(
      "The length of a point: an hour, or a local day of the account. Both are kept as long as single calls are. The range is at most 31 days by hours, and 366 days by days.",
    ),
  split: z
    .enum(["none", "member", "key", "model", "status"])
    .default("none")
    .describe("What each series represents."),
});

const sum = z
  .object({
    ...usageFields,
    refused: z
      .object({ requests: z.int(), tokens: z.int(), concurrency: z.int(), budget: z.int() })
      .describe(
        "Calls that were answered 429 before any member was called, by the limit or the budget that refused them. They are not part of `requests`.",
      ),
    ended: z
      .object({
        answered: z.int().describe("By the first member that was called."),
        answered_after_failover: z.int().describe("By another member than the first."),
        errors: z.int(),
        aborted: z.int().describe("The caller closed the connection (499)."),
      })
      .describe(
        "The calls of `requests` by outcome, each counted once. `failed_over` also counts calls that finally failed.",
      ),
    latency_ms: percentiles,
    first_byte_ms: percentiles,
  })
  .meta({ id: "PoolStatisticsSum" });
export type PoolStatisticsSum = z.output<typeof sum>;

const point = z
  .object({ at: instant.describe("When the point begins."), ...sum.shape })
  .meta({ id: "PoolStatisticsPoint" });

export const poolStatisticsReply = reply(
  "PoolStatisticsReply",
  z
    .object({
      step: z.enum(["hour", "day"]),
      after: instant.describe("The start of the first point in the range."),
      before: instant,
      time_zone: z.string().describe("The account's time zone, which determines days."),
      total: sum.describe("All series together. Its percentiles are those of the whole range."),
      series: z.array(
        z
          .object({
            key: z
              .string()
              .describe(
                "According to `split`: empty, the name of the member (the one that answered, otherwise the last that failed; empty if none was called), the id of the key (the pool's id for people who tried it), the model (empty if none answered), or the status. Refused calls have the status 429, and neither member nor model.",
              ),
            name: z.string().nullable().describe("The name of a key, if it still exists. Otherwise null."),
            total: sum.describe("All points together. Its percentiles are those of the whole range."),
            points: z.array(point).describe("Oldest first. Points without events are absent."),
          })
          .meta({ id: "PoolStatisticsSeries" }),
      ),
    })
    .meta({ id: "PoolStatistics" }),
);

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
    .describe("What makes a series of its own."),
});

const sum = z
  .object({
    ...usageFields,
    refused: z
      .object({ requests: z.int(), tokens: z.int(), concurrency: z.int(), budget: z.int() })
      .describe(
        "Calls that were answered 429 before any member was asked, by the limit or the budget that refused them. They are not in `requests`.",
      ),
    ended: z
      .object({
        answered: z.int().describe("By the first member that was asked."),
        answered_after_failover: z.int().describe("By another member than the first."),
        errors: z.int(),
        aborted: z.int().describe("The caller closed the connection (499)."),
      })
      .describe(
        "The calls of `requests` by how they ended, each of them once. `failed_over` counts calls that failed in the end, too.",
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
      after: instant.describe("The beginning of the first point that the range touches."),
      before: instant,
      time_zone: z.string().describe("The account's time zone, by which days are cut."),
      total: sum.describe("All series together. Its percentiles are those of the whole range."),
      series: z.array(
        z
          .object({
            key: z
              .string()
              .describe(
                "According to `split`: empty, the name of the member (that answered, else that failed last; empty: none was asked), the id of the key (the pool's id for people who tried it), the model (empty: none answered), or the status. Refused calls have the status 429, no member and no model.",
              ),
            name: z.string().nullable().describe("The name of a key, as long as it exists. Otherwise null."),
            total: sum.describe("All points together. Its percentiles are those of the whole range."),
            points: z.array(point).describe("Oldest first. A point in which nothing happened is absent."),
          })
          .meta({ id: "PoolStatisticsSeries" }),
      ),
    })
    .meta({ id: "PoolStatistics" }),
);

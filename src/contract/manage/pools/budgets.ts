// Budgets of keys, and those that the keys of a pool or of an account share.

import { z } from "zod";

const tokens = z
  .int()
  .min(1)
  .max(10 ** 12)
  .nullable()
  .default(null);

/** How much a key may use. */
export const budgetRules = z
  .strictObject({
    tokens_per_day: tokens.describe("Tokens a local day of the account; null: no bound."),
    tokens_per_month: tokens.describe("Tokens a local month; null: no bound."),
    cost_per_month: z
      .number()
      .min(0.000001)
      .max(10 ** 9)
      .nullable()
      .default(null)
      .describe("Cost a local month, in the currency of the members' prices; null: no bound."),
  })
  .describe("How much in all.");

/** How much keys may use together. */
export const sharedBudgetRules = budgetRules
  .extend({
    low_percent: z
      .int()
      .min(1)
      .max(99)
      .nullable()
      .default(80)
      .describe(
        "The event `budget.low` is sent when this share of a bound is used, once a day or month; null: never.",
      ),
  })
  .describe("How much in all, for all keys together.");
export type SharedBudgetRules = z.output<typeof sharedBudgetRules>;

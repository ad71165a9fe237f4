// Budgets of keys, and those that the keys of a pool or of an account share.

import { z } from "zod";
import type { SharedBudget } from "#store/schema/pools.ts";
import { patchSchema } from "./changes.ts";

/** Prices and costs are stored in millionths. */
export const millionths = 1_000_000;

const tokens = z
  .int()
  .min(1)
  .max(10 ** 12)
  .nullish();

export const budgetInput = z
  .strictObject({
    tokens_per_day: tokens.describe("Tokens a local day of the account; null: no bound."),
    tokens_per_month: tokens.describe("Tokens a local month; null: no bound."),
    cost_per_month: z
      .number()
      .min(0.000001)
      .max(10 ** 9)
      .nullish()
      .describe("Cost a local month, in the currency of the members' prices; null: no bound."),
  })
  .describe("How much in all.");

export const sharedBudgetInput = budgetInput
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
export type SharedBudgetInput = z.output<typeof sharedBudgetInput>;

/** What of a shared budget changes. An absent field stays as it is. */
export const sharedBudgetChanges = patchSchema(sharedBudgetInput);

export const storedBudget = (input: SharedBudgetInput): string => {
  const { tokens_per_day, tokens_per_month, cost_per_month, low_percent } = input;
  const budget: SharedBudget = {
    tokensPerDay: tokens_per_day ?? null,
    tokensPerMonth: tokens_per_month ?? null,
    costPerMonth: cost_per_month == null ? null : Math.round(cost_per_month * millionths),
    lowPercent: low_percent,
  };
  return JSON.stringify(budget);
};

/** A stored budget as the input that would create it. */
export function budgetFieldsOf(stored: string) {
  const { tokensPerDay, tokensPerMonth, costPerMonth, lowPercent } = JSON.parse(stored) as SharedBudget;
  return {
    tokens_per_day: tokensPerDay,
    tokens_per_month: tokensPerMonth,
    cost_per_month: costPerMonth === null ? null : costPerMonth / millionths,
    low_percent: lowPercent,
  };
}

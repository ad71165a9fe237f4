// Budgets of keys, and budgets that the keys of a pool or of an account share.

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
    tokens_per_day: tokens.describe("Tokens per local day of the account; null for no limit."),
    tokens_per_month: tokens.describe("Tokens per local month; null for no limit."),
    cost_per_month: z
      .number()
      .min(0.000001)
      .max(10 ** 9)
      .nullable()
      .default(null)
      .describe("Cost per local month, in the currency of the members' prices; null for no limit."),
    unpriced: z
      .enum(["refuse", "allow"])
      .nullable()
      .default(null)
      .meta({ title: "Models without a price" })
      .describe(
        "The policy for models without a known price, whose calls a cost limit cannot count. `refuse`: they are not called, and a call that no other member can serve is refused. `allow`: they are called, and counted as unpriced. If null, a new limit refuses them, and an existing one keeps its policy.",
      ),
  })
  .describe("The most that the key may use.");
export type BudgetRules = z.output<typeof budgetRules>;

/** Whether the budget excludes models without a known price. Without a cost limit, it does not. */
export const refusesUnpriced = ({ cost_per_month, unpriced }: BudgetRules): boolean =>
  cost_per_month !== null && unpriced === "refuse";

/**
 * The budget as it is stored: a cost limit includes the policy for unpriced models. `before`: the budget that it replaces; null if it is
 * new.
 */
export function withChoice<B extends BudgetRules>(budget: B, before: BudgetRules | null): B {
  if (budget.cost_per_month === null || budget.unpriced !== null) return budget;
  const kept = before !== null && before.cost_per_month !== null ? before.unpriced : null;
  return { ...budget, unpriced: kept ?? "refuse" };
}

/** How much keys may use together. */
export const sharedBudgetRules = budgetRules
  .extend({
    low_percent: z
      .int()
      .min(1)
      .max(99)
      .nullable()
      .default(80)
      .meta({ title: "Warn at", unit: "%" })
      .describe(
        "The event `budget.low` is sent when this share of a limit is used, once a day or month; null for never.",
      ),
  })
  .describe("The limits for all keys together.");
export type SharedBudgetRules = z.output<typeof sharedBudgetRules>;

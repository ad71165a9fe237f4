// How a cost budget treats models without a known price, shown where it is set.

import type { Pool } from "#ui/api/schema.ts";
import type { Values } from "#ui/schema-form/model.ts";
import { number } from "#ui/words/numbers.ts";

/** Names in the sentence; further ones are counted. */
const maxNamed = 10;

/** The sentence under a form whose values have a budget. Null if the budget does not limit costs, or all models have a price. */
export function unpricedWords({ members }: Pick<Pool, "members">, { budget }: Values): string | null {
  const { cost_per_month: bound, unpriced } = (budget ?? {}) as Partial<Pool["budget"]>;
  if (bound === null || bound === undefined) return null;
  const models = [...new Set(members.flatMap(({ unpriced_models }) => unpriced_models))];
  if (models.length === 0) return null;
  const more = models.length > maxNamed ? ` and ${number(models.length - maxNamed)} more` : "";
  const named = `${models.slice(0, maxNamed).join(", ")}${more}`;
  return unpriced === "allow"
    ? `The price of ${named} is unknown, so the cost limit does not count these calls.`
    : `The price of ${named} is unknown: the budget refuses these calls until the member has a price, unless it allows unpriced models.`;
}

// Calls whose cost is unknown.

import { costNumber } from "#contract/cost.ts";
import type { CompletionsTable } from "#store/schema/pools.ts";

type Call = Pick<CompletionsTable, "cost" | "cost_rest" | "member" | "price_source" | "reused">;

/** Whether a member answered with a model that has no known price. Calls from before sources were recorded may have a cost without one. */
export const isUnpriced = ({ member, reused, price_source, cost, cost_rest }: Call): boolean =>
  member !== null && reused === null && price_source === null && cost === 0 && cost_rest === 0;

/** What a call cost, as replies show it. Null if it is not known. */
export const callNumber = (call: Call): number | null => (isUnpriced(call) ? null : costNumber(call));

// Members as replies show them, with their models without a known price, and the effect of a budget on those.

import { members } from "#configure/pool-member.ts";
import { type BudgetRules, refusesUnpriced } from "#contract/manage/pools/budgets.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { findProvider } from "#providers/registry.ts";
import type { PoolMembersTable } from "#store/schema/pools.ts";

type OfCore = Pick<ManageAccountCall, "core">;

/** A member as replies show it. */
export function memberData({ core: { ai, sealer } }: OfCore, row: PoolMembersTable) {
  const shown = members.shown(sealer, row);
  const provider = findProvider(shown.kind);
  return { ...shown, unpriced_models: provider === null ? [] : ai.unpricedModels({ ...shown, provider }) };
}

/** Maximum number of names in a message; the rest are counted. */
const maxNamed = 10;

/** The models that a budget currently excludes, for the message of a reply. Null if it excludes none. `rows`: the members concerned. */
export function unpricedRemark(
  call: OfCore,
  budget: BudgetRules | null,
  rows: readonly PoolMembersTable[],
): string | null {
  if (budget === null || !refusesUnpriced(budget)) return null;
  const names = [...new Set(rows.flatMap((row) => memberData(call, row).unpriced_models))];
  const refuses = "The budget refuses models without a known price";
  if (names.length === 0) return `${refuses}; all models have one now.`;
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return `${refuses} (at present: ${names.slice(0, maxNamed).join(", ")}${more}). Set their prices at the member, or \`unpriced: allow\` in the budget.`;
}

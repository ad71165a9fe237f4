// The members that can serve a request of a key whose budget refuses models without a known price.

import type { Member } from "#ai/pools/member.ts";
import { type eligibleMembers, isServed, type ModelRequest } from "#ai/pools/pool.ts";
import type { BudgetOwner, PoolKey } from "#ai/pools/pool-key.ts";
import { refusesUnpriced } from "#contract/manage/pools/budgets.ts";
import type { ListPrices } from "#providers/prices/list-price.ts";
import { isPriced } from "./pricing.ts";

/** The owner of the budget that excludes models without a known price for calls of the key; null if none does. */
export const pricedOnlyBy = ({ budgets }: Pick<PoolKey, "budgets">): BudgetOwner["kind"] | null =>
  budgets.find(({ budget }) => refusesUnpriced(budget))?.kind ?? null;

type ModelsOf = (member: Member) => readonly string[];
type Eligible = ReturnType<typeof eligibleMembers<Member>>;
type Select = (members: readonly Member[], request: ModelRequest, modelsOf: ModelsOf) => Eligible;

/**
 * The choices of `select` without models that have no known price. A request for the whole pool may get a model of a member other than its
 * first. `unpriced`: no model that may serve the request has a price; the one that would be called first.
 */
export function pricedMembers(
  select: Select,
  members: readonly Member[],
  request: ModelRequest,
  modelsOf: ModelsOf,
  prices?: ListPrices,
): Eligible | { kind: "unpriced"; model: string } {
  const found = select(members, request, modelsOf);
  const [first] = found.kind === "choices" ? found.choices : [];
  if (found.kind !== "choices" || first === undefined) return found;
  const priced = found.choices.filter(({ member, model }) => isPriced(member, model, prices));
  if (priced.length === found.choices.length) return found;
  const ofPool = () =>
    select(members, request, (member) => modelsOf(member).filter((model) => isPriced(member, model, prices)));
  const left: Eligible = isServed(members, request, modelsOf)
    ? { kind: "choices", choices: priced }
    : ofPool();
  const hasChoice = left.kind === "choices" && left.choices.length > 0;
  return hasChoice ? left : { kind: "unpriced", model: first.model };
}

// The cost of calls: the tokens that the provider reported, at the price of the model. A price that the owner set takes precedence over the
// vendor's list price.

import type { Member } from "#ai/pools/member.ts";
import { allModels } from "#ai/pools/operation-models.ts";
import { aliasesOf } from "#ai/pools/pool.ts";
import { type Cost, costOfPicos } from "#contract/cost.ts";
import { builtInPrices, type ListPrices, listPrice, type Price } from "#providers/prices/list-price.ts";
import type { Usage } from "#providers/provider.ts";
import type { CallOutcome } from "./completion.ts";

/** The origin of a price. */
type PriceSource = "set" | "list";

type Priced = Pick<Member, "aliases" | "price" | "prices" | "provider" | "settings">;

/** The sandbox generates its answers itself. */
const free: Price = { input: 0, output: 0 };

/** The price of a member's model; null if none is known. A model with a custom name is listed under its alias. */
function priceOf(
  member: Priced,
  model: string,
  prices: ListPrices = builtInPrices,
): { price: Price; source: PriceSource } | null {
  const names = [model, ...aliasesOf(member, model)];
  const own = names.find((name) => Object.hasOwn(member.prices, name));
  const price = own === undefined ? member.price : member.prices[own]!;
  if (price !== null) return { price, source: "set" };
  if (member.provider.kind === "sandbox") return { price: free, source: "list" };
  const vendor = member.provider.priceVendor(member.settings, model);
  if (vendor === null) return null;
  for (const name of names) {
    const listed = listPrice(vendor, name, prices);
    if (listed !== null) return { price: listed, source: "list" };
  }
  return null;
}

/** Whether the price of a member's model is known. */
export const isPriced = (member: Priced, model: string, prices?: ListPrices): boolean =>
  priceOf(member, model, prices) !== null;

/** The models of a member, of every operation, without a known price. */
export const unpricedModels = (
  member: Priced & Parameters<typeof allModels>[0],
  prices?: ListPrices,
): string[] => [...new Set(allModels(member))].filter((model) => !isPriced(member, model, prices));

/** A price per million tokens equals the price of one token in millionths; in millionths of those it is an integer. */
const picosOf = (tokens: number, price: number): bigint =>
  BigInt(tokens) * BigInt(Math.round(price * 1_000_000));

/**
 * The price of an hour in a cache relative to five minutes, if no price is known: Anthropic charges 2 times the input for an hour and 1.25
 * times for five minutes.
 */
const hourFactor = 1.6;

/** The prices of a call with a prompt of this size. */
const tierOf = (price: Price, promptTokens: number): Omit<Price, "long_prompt"> =>
  price.long_prompt !== undefined && promptTokens > price.long_prompt.above ? price.long_prompt : price;

function picosFor(usage: Usage, whole: Price): bigint {
  const price = tierOf(whole, usage.promptTokens);
  const { input, output, cached_input, cache_write } = price;
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  const cached = Math.min(cachedTokens, promptTokens);
  const written = Math.min(cacheWriteTokens, promptTokens - cached);
  const hour = Math.min(usage.cacheWriteHourTokens ?? 0, written);
  const hourPrice = price.cache_write_1h ?? (cache_write === undefined ? input : hourFactor * cache_write);
  return (
    picosOf(promptTokens - cached - written, input) +
    picosOf(cached, cached_input ?? input) +
    picosOf(written - hour, cache_write ?? input) +
    picosOf(hour, hourPrice) +
    picosOf(completionTokens, output)
  );
}

/**
 * The cost of a call, by the member that answered; the input of a request that was abandoned in favour of another one is billed too. Null
 * if no price is known.
 */
export function callCost(
  { members }: { members: readonly (Priced & Pick<Member, "name">)[] },
  { member: name, model, attempts, usage }: Pick<CallOutcome, "member" | "model" | "attempts" | "usage">,
  prices?: ListPrices,
): (Cost & { source: PriceSource }) | null {
  const member = members.find((one) => one.name === name);
  const priced = member && model !== null ? priceOf(member, model, prices) : null;
  if (priced === null) return null;
  let picos = picosFor(usage, priced.price);
  for (const attempt of attempts) {
    if (!attempt.given_up) continue;
    const other = members.find((one) => one.name === attempt.member);
    const price = other && priceOf(other, attempt.model, prices)?.price;
    if (price) picos += picosOf(usage.promptTokens, tierOf(price, usage.promptTokens).input);
  }
  return { ...costOfPicos(picos), source: priced.source };
}

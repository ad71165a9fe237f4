// Looks up the public list price of a vendor's model.

import { LruCache } from "#runtime/lru-cache.ts";
import { listPrices } from "./list-prices.ts";

/** The vendors whose prices are listed. */
export type ListedVendor = keyof typeof listPrices;

/** The hosts of base URLs: each call asks for one, and parsing it costs as much as the rest of its price. */
const hosts = new LruCache<string, string>(1_000);
const hostOf = (url: string) => hosts.getOrCreate(url, () => URL.parse(url)?.host ?? "");

/** Whether a base URL is the vendor's own address, where its list prices hold: who is behind another may charge otherwise. */
export const isOwnHost = (base: string, own: string): boolean => hostOf(base) === hostOf(own);

/** Prices of a million tokens. Absent: that of input. */
export interface Price {
  input: number;
  output: number;
  cached_input?: number | undefined;
  cache_write?: number | undefined;
}

/** `-2025-08-07`, `-20250807`, or `@20250807` on Vertex AI: a snapshot, which costs what its model does. */
const snapshot = /(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8})$/;

/** The price of a model by the name that its vendor has for it, or of the model that it is a snapshot of; null: not listed. */
export function listPrice(vendor: ListedVendor, model: string): Price | null {
  const prices: Readonly<Record<string, readonly (number | null)[]>> = listPrices[vendor];
  const name = [model, model.replace(snapshot, "")].find((one) => Object.hasOwn(prices, one));
  if (name === undefined) return null;
  const [input, output, cached, written] = prices[name]!;
  return {
    input: input ?? 0,
    output: output ?? 0,
    cached_input: cached ?? undefined,
    cache_write: written ?? undefined,
  };
}

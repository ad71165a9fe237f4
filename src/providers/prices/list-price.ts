// The vendors' public list prices, and the price of a model in them.

import { z } from "zod";
import { price } from "#contract/manage/pools/members.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import builtIn from "./list-prices.json" with { type: "json" };

/** The vendors whose prices are listed. */
export const listedVendors = [
  "openai",
  "anthropic",
  "gemini",
  "mistral",
  "deepseek",
  "xai",
  "groq",
  "moonshot",
  "z.ai",
  "cerebras",
  "fireworks",
  "together",
  "perplexity",
] as const;
export type ListedVendor = (typeof listedVendors)[number];

/** The hosts of base URLs: each call needs one, and parsing it costs as much as the rest of the price lookup. */
const hosts = new LruCache<string, string>(1_000);
const hostOf = (url: string) => hosts.getOrCreate(url, () => URL.parse(url)?.host ?? "");

/** Whether a base URL is the vendor's own address, where its list prices apply: the operator of another address may charge differently. */
export const isOwnHost = (base: string, own: string): boolean => hostOf(base) === hostOf(own);

/** Prices of a million tokens. Absent: that of input; of `cache_write_1h`: 1.6 times that of `cache_write`. */
export type Price = z.output<typeof price>;

/** A file of list prices, in US dollars: for the standard tier, not batch, priority or flex. */
const pricesFile = z.strictObject({
  date: z.iso.date("must be a day such as 2026-11-21").describe("When the prices were collected."),
  source: z.string().max(500).describe("Where they are from."),
  prices: z.partialRecord(z.enum(listedVendors), z.record(z.string(), price)),
});
export type ListPrices = z.output<typeof pricesFile>;

/** Reads the text of a file of list prices. Throws an error with a message for the operator. */
export function readListPrices(text: string): ListPrices {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("is no JSON");
  }
  const read = pricesFile.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is not as it should be"}`);
}

/** The prices that come with this version. `npm run prices` writes them. */
export const builtInPrices: ListPrices = builtIn;

/** `-2025-08-07`, `-20250807`, or `@20250807` on Vertex AI: a snapshot, which has the price of its model. */
const snapshot = /(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8})$/;

/** The price of a model by the vendor's name for it, or of the model that it is a snapshot of; null if it is not listed. */
export function listPrice(
  vendor: ListedVendor,
  model: string,
  { prices }: ListPrices = builtInPrices,
): Price | null {
  const listed = prices[vendor] ?? {};
  const name = [model, model.replace(snapshot, "")].find((one) => Object.hasOwn(listed, one));
  return name === undefined ? null : listed[name]!;
}

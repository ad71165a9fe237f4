// List prices of `@pydantic/genai-prices` as rows of our own.

import type { ListPrices, Price } from "#providers/prices/list-price.ts";

/** A price, or one that rises with the length of the prompt: above `start` tokens, all of them cost that price. */
type Amount = number | { base: number; tiers?: { start: number; price: number }[] };
type Amounts = Readonly<Record<string, Amount | undefined>>;
type Match = Readonly<Record<string, unknown>>;

/** A model of the package. Of several prices, later ones apply from a day on, or at certain hours. */
export interface ListedModel {
  id: string;
  match: Match;
  prices: Amounts | { prices: Amounts; constraint?: { type: string; start_date?: string } }[];
}

/** The names of a model: its id, and those that the package matches exactly. */
function namesOf({ id, match }: ListedModel): string[] {
  const either = Array.isArray(match.or) ? (match.or as Match[]) : [match];
  return [id, ...either.flatMap(({ equals }) => (typeof equals === "string" ? [equals] : []))];
}

/** Six decimals, like members' prices. */
const rounded = (value: number) => Math.round(value * 1e6) / 1e6;
const amountOf = (amount: Amount | undefined): number | undefined =>
  amount === undefined ? undefined : rounded(typeof amount === "number" ? amount : amount.base);

/** The price of a prompt above this many tokens, or of a short one if that is null. */
const amountAbove = (amount: Amount | undefined, above: number | null): number | undefined => {
  const tiers = typeof amount === "object" ? (amount.tiers ?? []) : [];
  const tier = above === null ? undefined : tiers.find(({ start }) => start === above);
  return tier === undefined ? amountOf(amount) : rounded(tier.price);
};

/** The length above which prompts cost more. Null if there is none. Throws for more than one, which rows cannot express. */
function longAbove(id: string, amounts: Amounts): number | null {
  const starts = Object.values(amounts).flatMap((amount) =>
    typeof amount === "object" ? (amount.tiers ?? []).map(({ start }) => start) : [],
  );
  const [above = null, ...others] = new Set(starts);
  if (others.length > 0) throw new Error(`${id} has prices of more than two lengths of prompts.`);
  return above;
}

/** `above`: for a prompt above this many tokens, or null for a short one. Null if there is no price for tokens. */
function rowAt(amounts: Amounts, above: number | null): Omit<Price, "long_prompt"> | null {
  const input = amountAbove(amounts.input_mtok, above);
  if (input === undefined) return null;
  const cached = amountAbove(amounts.cache_read_mtok, above);
  const written = amountAbove(amounts.cache_write_mtok, above);
  const hour = amountAbove(amounts.cache_write_1h_mtok, above);
  return {
    input,
    output: amountAbove(amounts.output_mtok, above) ?? 0,
    ...(cached === undefined ? {} : { cached_input: cached }),
    ...(written === undefined ? {} : { cache_write: written }),
    ...(hour === undefined ? {} : { cache_write_1h: hour }),
  };
}

/** The prices on a day. If they change with the hour, the highest, so that a budget is not exceeded. */
function pricesOn({ prices }: ListedModel, date: string): Amounts | null {
  if (!Array.isArray(prices)) return prices;
  const begun = prices.filter(({ constraint }) => (constraint?.start_date ?? date) <= date);
  if (!begun.some(({ constraint }) => constraint?.type === "time_of_date"))
    return begun.at(-1)?.prices ?? null;
  const inputOf = (one: { prices: Amounts }) => amountOf(one.prices.input_mtok) ?? 0;
  return begun.toSorted((a, b) => inputOf(b) - inputOf(a))[0]?.prices ?? null;
}

/** The rows of a vendor's models on a day. Models without a price for tokens are omitted. */
export function rowsOf(models: readonly ListedModel[], date: string): Record<string, Price> {
  const rows: Record<string, Price> = {};
  for (const model of models) {
    const prices = pricesOn(model, date);
    const short = prices && rowAt(prices, null);
    if (prices === null || short === null) continue;
    const above = longAbove(model.id, prices);
    const long = above === null ? null : rowAt(prices, above);
    const row = long === null || above === null ? short : { ...short, long_prompt: { above, ...long } };
    for (const name of namesOf(model)) rows[name] ??= row;
  }
  return rows;
}

/** A row in one line. */
const lineOf = (price: object): string =>
  `{ ${Object.entries(price)
    .map(([field, value]) => `${JSON.stringify(field)}: ${typeof value === "object" ? lineOf(value) : value}`)
    .join(", ")} }`;

/** The text of the file: one model a line, ordered by name. */
export function pricesText({ date, source, prices }: ListPrices): string {
  const vendors = Object.entries(prices).map(([vendor, models]) => {
    const rows = Object.entries(models)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([model, price]) => `      ${JSON.stringify(model)}: ${lineOf(price)}`);
    return `    ${JSON.stringify(vendor)}: {\n${rows.join(",\n")}\n    }`;
  });
  const head = `  "date": ${JSON.stringify(date)},\n  "source": ${JSON.stringify(source)},\n`;
  return `{\n${head}  "prices": {\n${vendors.join(",\n")}\n  }\n}\n`;
}

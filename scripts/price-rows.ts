// List prices as `@pydantic/genai-prices` has them, as rows of our own.

import type { ListPrices, Price } from "#providers/prices/list-price.ts";

/** A price, or one that rises with the length of the prompt. */
type Amount = number | { base: number };
type Amounts = Readonly<Record<string, Amount | undefined>>;
type Match = Readonly<Record<string, unknown>>;

/** A model of the package. Of several prices the later ones hold from a day on, or at hours of the day. */
export interface ListedModel {
  id: string;
  match: Match;
  prices: Amounts | { prices: Amounts; constraint?: { type: string; start_date?: string } }[];
}

/** The names that a model is known by: its id, and those that the package compares whole. */
function namesOf({ id, match }: ListedModel): string[] {
  const either = Array.isArray(match.or) ? (match.or as Match[]) : [match];
  return [id, ...either.flatMap(({ equals }) => (typeof equals === "string" ? [equals] : []))];
}

/** Six decimals, as members' prices have. */
const rounded = (value: number) => Math.round(value * 1e6) / 1e6;
const amountOf = (amount: Amount | undefined): number | undefined =>
  amount === undefined ? undefined : rounded(typeof amount === "number" ? amount : amount.base);

/** The prices on a day. Of those that change with the hour it is the highest, so that a budget is not exceeded. */
function pricesOn({ prices }: ListedModel, date: string): Amounts | null {
  if (!Array.isArray(prices)) return prices;
  const begun = prices.filter(({ constraint }) => (constraint?.start_date ?? date) <= date);
  if (!begun.some(({ constraint }) => constraint?.type === "time_of_date"))
    return begun.at(-1)?.prices ?? null;
  const inputOf = (one: { prices: Amounts }) => amountOf(one.prices.input_mtok) ?? 0;
  return begun.toSorted((a, b) => inputOf(b) - inputOf(a))[0]?.prices ?? null;
}

/** The rows of a vendor's models on a day. Models without a price for tokens have none. */
export function rowsOf(models: readonly ListedModel[], date: string): Record<string, Price> {
  const rows: Record<string, Price> = {};
  for (const model of models) {
    const prices = pricesOn(model, date);
    const input = amountOf(prices?.input_mtok);
    if (prices === null || input === undefined) continue;
    const cached = amountOf(prices.cache_read_mtok);
    const written = amountOf(prices.cache_write_mtok);
    const hour = amountOf(prices.cache_write_1h_mtok);
    const row = {
      input,
      output: amountOf(prices.output_mtok) ?? 0,
      ...(cached === undefined ? {} : { cached_input: cached }),
      ...(written === undefined ? {} : { cache_write: written }),
      ...(hour === undefined ? {} : { cache_write_1h: hour }),
    };
    for (const name of namesOf(model)) rows[name] ??= row;
  }
  return rows;
}

/** The text of the file: a model a line, in the order of their names. */
export function pricesText({ date, source, prices }: ListPrices): string {
  const vendors = Object.entries(prices).map(([vendor, models]) => {
    const rows = Object.entries(models)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([model, price]) =>
          `      ${JSON.stringify(model)}: { ${Object.entries(price)
            .map(([field, amount]) => `${JSON.stringify(field)}: ${amount}`)
            .join(", ")} }`,
      );
    return `    ${JSON.stringify(vendor)}: {\n${rows.join(",\n")}\n    }`;
  });
  const head = `  "date": ${JSON.stringify(date)},\n  "source": ${JSON.stringify(source)},\n`;
  return `{\n${head}  "prices": {\n${vendors.join(",\n")}\n  }\n}\n`;
}

// Costs of calls. Vendors price a million tokens with up to six decimals, so one token costs a whole number of millionths of millionths
// (10⁻¹²) of the currency unit: sums are exact, and no call is rounded. Storage has whole millionths and the remainder separately, since
// the sum of many calls exceeds the integers that a number can represent.

const scale = 1_000_000n;

/** A cost as it is stored. The remainder of a sum may exceed a millionth. */
export interface Cost {
  /** Whole millionths of the currency unit. */
  cost: number;
  /** The remainder, in millionths of those. */
  cost_rest: number;
}

/** The stored form of a cost in 10⁻¹² of the currency unit. */
export const costOfPicos = (picos: bigint): Cost => ({
  cost: Number(picos / scale),
  cost_rest: Number(picos % scale),
});

/** The cost as a decimal number of the currency unit, such as `0.00110002`, exactly. */
export function costText({ cost, cost_rest }: Cost): string {
  const picos = BigInt(cost) * scale + BigInt(cost_rest);
  const digits = (picos % (scale * scale))
    .toString()
    .padStart(12, "0")
    .replace(/(?<!0)0+$/, "");
  return `${picos / (scale * scale)}${/^0*$/.test(digits) ? "" : `.${digits}`}`;
}

/** The nearest number to the cost. */
export const costNumber = (cost: Cost): number => Number(costText(cost));

/** A sum of costs, as replies show it. Null if every call that may have cost something had no known price. */
export const sumNumber = ({ unpriced, ...cost }: Cost & { unpriced: number }): number | null =>
  unpriced > 0 && cost.cost === 0 && cost.cost_rest === 0 ? null : costNumber(cost);

/** In millionths of the currency unit, as budgets and metrics sum it. */
export const costInMillionths = ({ cost, cost_rest }: Cost): number => cost + cost_rest / 1_000_000;

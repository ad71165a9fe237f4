// Numbers with the separators of the reader's language.

const plain = new Intl.NumberFormat();
const fine = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** `812`, `1,000`; "unlimited" for null. */
export const number = (value: number | null): string => (value === null ? "unlimited" : plain.format(value));

/**
 * A cost, in units of the installation's prices. Null if it is unknown. `unpriced`: calls without a known price, which are not included.
 */
export function cost(value: number | null, unpriced = 0): string {
  if (value === null || (value === 0 && unpriced > 0)) return "unknown";
  const shown = value === 0 ? "0" : fine.format(value);
  return unpriced > 0 ? `at least ${shown}` : shown;
}

/** The cost of several sums together. */
export function costOf(rows: readonly { cost: number | null; unpriced: number }[]): string {
  const whole = rows.reduce((sum, row) => sum + (row.cost ?? 0), 0);
  return cost(
    whole,
    rows.reduce((sum, { unpriced }) => sum + unpriced, 0),
  );
}

/** The note of a cost. */
export function costNote(rows: readonly { unpriced: number }[]): string {
  const unpriced = rows.reduce((sum, row) => sum + row.unpriced, 0);
  if (unpriced === 0) return "in units of your prices";
  return `${number(unpriced)} ${unpriced === 1 ? "call" : "calls"} without a known price`;
}

/** A number and its unit, which stay on one line. */
const measured = (value: number | string, unit: string) => `${value}\u00a0${unit}`;

/** `812 ms`, `9.1 s`, `3 min`, `2 h 10 min`, `4 d 19 h`, with no-break spaces. */
export function duration(ms: number): string {
  if (ms < 1_000) return measured(Math.round(ms), "ms");
  if (ms < 60_000) return measured((ms / 1_000).toFixed(1), "s");
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return measured(minutes, "min");
  const hours = Math.floor(minutes / 60);
  const [whole, rest] =
    hours < 24
      ? [measured(hours, "h"), minutes % 60 && measured(minutes % 60, "min")]
      : [measured(Math.floor(hours / 24), "d"), hours % 24 && measured(hours % 24, "h")];
  return rest === 0 ? whole : `${whole}\u00a0${rest}`;
}

/** `12,4 kB`. */
export function bytes(count: number): string {
  if (count < 1_000) return measured(count, "bytes");
  if (count < 1_000_000) return measured(fine.format(count / 1_000), "kB");
  if (count < 1_000_000_000) return measured(fine.format(count / 1_000_000), "MB");
  return measured(fine.format(count / 1_000_000_000), "GB");
}

/** `812 of 1,000`; above the allowance, `1,200, 200 of them extra`, since a grant may exceed it. */
export const leftOf = (remaining: number, allowance: number): string =>
  remaining > allowance
    ? `${number(remaining)}, ${number(remaining - allowance)} of them extra`
    : `${number(remaining)} of ${number(allowance)}`;

/** A number in groups where it is only read, such as in a confirmation; another text is as it is. */
export const inGroups = (text: string): string => digitsOf(text).join("\u00a0");

/** The groups of an international number, such as `+49`, `151`, `2345` and `6789`; another text is one group. */
export function digitsOf(text: string): readonly string[] {
  const international =
    /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d{3})(\d{4,9})$/;
  const [, code, area = "", rest = ""] = international.exec(text) ?? [];
  if (code === undefined) return [text];
  return [`+${code}`, area, ...(rest.match(rest.length % 4 === 0 ? /\d{4}/g : /\d{3}(?=\d{3})|\d+/g) ?? [])];
}

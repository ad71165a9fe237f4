// Whether two sets of times differ: Welch's t-test on samples that were taken in turn, after the slowest tenth (pauses
// of the machine) is cut off by one bound for both, as dudect does (Reparaz et al., "Dude, is my code constant time?").

export interface Difference {
  /** Samples that were kept, of both. */
  kept: number;
  /** Mean of the second less mean of the first, in the samples' unit. */
  difference: number;
  /** Half the width of its 95 % confidence interval. */
  margin: number;
  /** Welch's t. */
  t: number;
}

/** Beyond this a difference counts as found; by chance it comes once in about 150,000 comparisons. */
export const foundAt = 4.5;

interface Moments {
  count: number;
  mean: number;
  variance: number;
}

function momentsOf(values: readonly number[]): Moments {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return { count, mean, variance };
}

/** Compares two sets of samples; each needs a few dozen at least. */
export function compare(first: readonly number[], second: readonly number[]): Difference {
  const sorted = [...first, ...second].sort((one, other) => one - other);
  const bound = sorted[Math.floor(sorted.length * 0.9)] ?? 0;
  const one = momentsOf(first.filter((value) => value <= bound));
  const other = momentsOf(second.filter((value) => value <= bound));
  const error = Math.sqrt(one.variance / one.count + other.variance / other.count);
  const difference = other.mean - one.mean;
  return { kept: one.count + other.count, difference, margin: 1.96 * error, t: difference / error };
}

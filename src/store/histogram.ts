// Durations as counts by bucket: eight buckets per doubling, so that a percentile is within 5 % of the true value, and counts of days, keys
// and processes simply add up.

/** Counts by bucket; empty buckets are absent. Columns store it as JSON. */
export type Histogram = Record<string, number>;

const perDoubling = 8;
/** All durations below a millisecond share one bucket. */
const lowest = 0;
/** More than a day, which no request takes. */
const highest = 27 * perDoubling;

function bucketOf(ms: number): number {
  if (!(ms > 1)) return lowest;
  return Math.min(highest, Math.floor(Math.log2(ms) * perDoubling) + 1);
}

/** The geometric middle of a bucket, in whole ms. */
function middleOf(bucket: number): number {
  if (bucket <= lowest) return 1;
  return Math.max(1, Math.round(2 ** ((bucket - 0.5) / perDoubling)));
}

/** Counts a duration, ms. */
export function addDuration(histogram: Histogram, ms: number): void {
  const bucket = bucketOf(ms);
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
}

/** Adds the counts of `more`. */
export function merge(histogram: Histogram, more: Histogram): void {
  for (const [bucket, times] of Object.entries(more)) histogram[bucket] = (histogram[bucket] ?? 0) + times;
}

/** The duration (ms) that a `share` (0 to 1) of the counted ones did not exceed; null if nothing was counted. */
export function percentile(histogram: Histogram, share: number): number | null {
  const buckets = Object.keys(histogram)
    .map(Number)
    .sort((a, b) => a - b);
  const total = buckets.reduce((sum, bucket) => sum + histogram[bucket]!, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  for (const bucket of buckets) {
    seen += histogram[bucket]!;
    if (seen >= rank) return middleOf(bucket);
  }
  return middleOf(buckets.at(-1)!);
}

/** The 50th, 95th and 99th percentile of the durations, ms; null if nothing was counted. */
export const percentiles = (histogram: Histogram) => ({
  p50: percentile(histogram, 0.5),
  p95: percentile(histogram, 0.95),
  p99: percentile(histogram, 0.99),
});

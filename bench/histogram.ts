// Latencies in buckets that grow by 1 %: any percentile is right to within that, at constant memory.

const growth = Math.log(1.01);
const buckets = 2200; // 1 µs to beyond 50 minutes

export interface Percentiles {
  count: number;
  meanMs: number;
  p50Ms: number;
  p90Ms: number;
  p95Ms: number;
  p99Ms: number;
  p999Ms: number;
  maxMs: number;
}

export interface Histogram {
  add(ms: number): void;
  percentiles(): Percentiles;
}

export function createHistogram(): Histogram {
  const counts = new Uint32Array(buckets);
  let count = 0;
  let sum = 0;
  let max = 0;
  const at = (share: number): number => {
    let left = Math.ceil(count * share);
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      left -= counts[bucket] ?? 0;
      if (left <= 0 && count > 0) return Math.min(Math.exp((bucket + 1) * growth) / 1000, max);
    }
    return 0;
  };
  return {
    add(ms) {
      const bucket = Math.min(
        buckets - 1,
        Math.max(0, Math.floor(Math.log(Math.max(ms * 1000, 1)) / growth)),
      );
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      count += 1;
      sum += ms;
      if (ms > max) max = ms;
    },
    percentiles: () => ({
      count,
      meanMs: count === 0 ? 0 : sum / count,
      p50Ms: at(0.5),
      p90Ms: at(0.9),
      p95Ms: at(0.95),
      p99Ms: at(0.99),
      p999Ms: at(0.999),
      maxMs: max,
    }),
  };
}

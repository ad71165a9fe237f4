// Computes a chart's ticks and lines. The components beside it draw them.

/** The contents of a chart over time. */
export interface Series {
  name: string;
  /** Its style: determined by its meaning, with a pattern of its own. */
  tone: "good" | "sent" | "warn" | "bad" | "doubt" | "soft" | "wait";
  /** What it contains, if its name does not say so. */
  note?: string;
}

/** About a third of `max`, as 1, 2 or 5 times a power of ten; at least 1. */
function axisStep(max: number): number {
  const step = max / 3;
  const power = 10 ** Math.floor(Math.log10(step));
  const [, factor] = (
    [
      [7, 10],
      [3, 5],
      [1.4, 2],
    ] as const
  ).find(([from]) => step / power >= from) ?? [0, 1];
  return Math.max(1, power * factor);
}

/** Heights for values of 0 to `max`, px from the top, and a few round values for the axis. */
export function heights(max: number, height: number): { y: (value: number) => number; ticks: number[] } {
  const step = axisStep(Math.max(1, max));
  const steps = Math.max(1, Math.ceil(max / step));
  const top = steps * step;
  return {
    y: (value) => height * (1 - value / top),
    ticks: Array.from({ length: steps + 1 }, (_, at) => at * step),
  };
}

/** The path of a line over values in a box; the bottom is 0. */
export function linePath(values: readonly number[], width: number, height: number): string {
  const { y } = heights(Math.max(...values), height);
  const step = values.length < 2 ? 0 : width / (values.length - 1);
  const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
  return values
    .map((value, at) => `${at === 0 ? "M" : "L"}${rounded(at * step)},${rounded(y(value))}`)
    .join("");
}

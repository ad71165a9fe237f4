// Computes a chart's stacks, ticks and lines. The components beside it draw them.

import { scaleLinear } from "d3-scale";
import { line, stack } from "d3-shape";

/** The contents of a chart over time. */
export interface Series {
  name: string;
  /** Its style: determined by its meaning, with a pattern of its own. */
  tone: "good" | "sent" | "bad" | "doubt" | "soft";
  /** What it contains, if its name does not say so. */
  note?: string;
}

interface Piece {
  /** The series that it belongs to. */
  name: string;
  from: number;
  to: number;
}

/** For each column its pieces from the bottom up, in the order of the series; empty ones are omitted. */
export function stacked(
  rows: readonly Readonly<Record<string, number>>[],
  names: readonly string[],
): Piece[][] {
  const series = stack<Readonly<Record<string, number>>>()
    .keys(names)
    .value((row, name) => row[name] ?? 0)([...rows]);
  return rows.map((_row, at) =>
    series.flatMap((each) => {
      const [from = 0, to = 0] = each[at] ?? [];
      return to > from ? [{ name: each.key, from, to }] : [];
    }),
  );
}

/** Heights for values of 0 to `max`, px from the top, and a few round values for the axis. */
export function heights(max: number, height: number): { y: (value: number) => number; ticks: number[] } {
  const scale = scaleLinear()
    .domain([0, Math.max(1, max)])
    .nice(3)
    .range([height, 0]);
  return { y: scale, ticks: scale.ticks(3).filter((tick) => Number.isInteger(tick)) };
}

/** The path of a line over values in a box; the bottom is 0. */
export function linePath(values: readonly number[], width: number, height: number): string {
  const { y } = heights(Math.max(...values), height);
  const step = values.length < 2 ? 0 : width / (values.length - 1);
  return line<number>((_value, at) => at * step, y)([...values]) ?? "";
}

/** Which columns have a label: at most `max`, evenly spaced. */
export const isLabelled = (at: number, count: number, max: number): boolean =>
  at % Math.ceil(count / max) === 0;

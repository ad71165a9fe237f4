// What an attack is, and how it counts what it saw.

import type { Stage } from "./stage.ts";

/** `whole`: as `npm run test:attacks` plays it; `short`: with counts that `npm test` can afford. */
export type Size = "whole" | "short";

export interface Attack {
  /** What it is about; `--only` of the program names one. */
  family: string;
  name: string;
  /** What the contract says, in a few words. */
  expected: string;
  /** Played in `npm test` as well: it does not wait for timeouts of the service, and costs little when the service holds. */
  short: boolean;
  /** Where it is played; SQLite unless it says otherwise. */
  engines?: readonly ("sqlite" | "postgres")[];
  /**
   * False: single sends and memory are not judged, because the attack itself takes the storage away or ends the
   * process. Default: true.
   */
  judged?: boolean;
  /** Stores so much that single sends wait for the one writer: their times are not judged. */
  fillsWriter?: boolean;
  run(stage: Stage, size: Size): Promise<Tally>;
}

/** Counts of outcomes, and each outcome that was not as expected. */
export interface Tally {
  inputs: number;
  counts: Map<string, number>;
  /** The first 20. */
  faults: string[];
  faultCount: number;
  /** One input came to `outcome`; `fault` says what is wrong with that. */
  add(outcome: string | number, fault?: string | null | false): void;
  /** Something that is no input turned out wrong. */
  fault(text: string): void;
}

export function tally(): Tally {
  const it: Tally = {
    inputs: 0,
    counts: new Map(),
    faults: [],
    faultCount: 0,
    add(outcome, fault) {
      it.inputs += 1;
      const key = String(outcome);
      it.counts.set(key, (it.counts.get(key) ?? 0) + 1);
      if (fault) it.fault(fault);
    },
    fault(text) {
      it.faultCount += 1;
      if (it.faults.length < 20) it.faults.push(text);
    },
  };
  return it;
}

/** `12×403, 1×0` */
export function countsText(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort((one, other) => other[1] - one[1]);
  const shown = sorted.slice(0, 6).map(([outcome, count]) => `${count}×${outcome}`);
  if (sorted.length > 6) shown.push(`${sorted.length - 6} more kinds`);
  return shown.join(", ");
}

/** The value of a promise, or `otherwise` after `ms`. */
export async function within<T, U>(ms: number, promise: Promise<T>, otherwise: U): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<U>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `work` for 0 … count - 1, at most `width` at once. */
export async function spread(
  count: number,
  width: number,
  work: (at: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lanes = Array.from({ length: Math.min(width, count) }, async () => {
    while (next < count) {
      const at = next;
      next += 1;
      await work(at);
    }
  });
  await Promise.all(lanes);
}

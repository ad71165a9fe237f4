// What measurements are made of: a stage to stand on, and the rows of the table that come of it.

import { type Engine, openStage, type Stage } from "./stage.ts";

export interface Figure {
  what: string;
  value: string;
  goal: string;
  /** Null: nothing to hold it against. */
  reached: boolean | null;
}

export type Measure = (engine: Engine) => Promise<Figure[]>;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const ms = (value: number) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
export const perSecond = (value: number) => `${Math.round(value).toLocaleString("en-US")}/s`;

export function figure(what: string, value: string, goal = "", reached: boolean | null = null): Figure {
  return { what, value, goal, reached };
}

/** Measures on an installation of its own, which is gone afterwards. */
export async function onStage(
  engine: Engine,
  measure: (stage: Stage) => Promise<Figure[]>,
  accounts?: (provider: string) => object[],
): Promise<Figure[]> {
  const stage = await openStage(engine, accounts);
  try {
    return await measure(stage);
  } finally {
    await stage.close();
  }
}

export function expectClean(result: { failed: number; firstFailure: string | null }): void {
  if (result.failed > 0)
    throw new Error(`${result.failed} requests failed, the first with: ${result.firstFailure}`);
}

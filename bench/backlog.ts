// A backlog that is due at one instant, and its arrival at a peer that counts.

import { readFileSync } from "node:fs";
import { pause } from "./figure.ts";
import type { Arrivals } from "./provider.ts";
import type { Peer } from "./stage.ts";

/** `Y-m-d H:i:s` in UTC, the account's zone here. */
export const at = (epochMs: number) => new Date(epochMs).toISOString().slice(0, 19).replace("T", " ");

/** Resolves when `backlog` messages have arrived; gives up when none does for 30 s. */
export async function untilArrived(sink: Peer, backlog: number, dueAt: number): Promise<void> {
  let last = -1;
  for (let quietSince = Date.now(); ; ) {
    await pause(250);
    const { count } = await sink.ask<Arrivals>({});
    if (count >= backlog) return;
    if (count !== last) quietSince = Date.now();
    last = count;
    if (Date.now() > dueAt && Date.now() - quietSince > 30_000)
      throw new Error(`the backlog stood still at ${count}`);
  }
}

/** Messages a second, of all and of each tenth. */
export function ratesOf(marks: readonly number[], backlog: number): { rate: number; tenths: number[] } {
  const seconds = (from: number, to: number) => ((marks[to] ?? 0) - (marks[from] ?? 0)) / 1000;
  const tenths = Array.from({ length: 10 }, (_, index) =>
    Math.round(backlog / 10 / seconds(index, index + 1)),
  );
  return { rate: backlog / seconds(0, 10), tenths };
}

/** CPU that a process has used, all its threads together, ms (of 10 ms ticks); null elsewhere than on Linux. */
export function cpuMs(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

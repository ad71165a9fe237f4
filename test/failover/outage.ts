// S15: the primary is down for a while and then well. No caller may notice, few requests may touch it meanwhile, and
// it has to be in use again soon after.

import { type caller, isWhole, type Seen } from "./caller.ts";
import type { Profile } from "./profile.ts";
import type { Checks, Hit } from "./provider.ts";
import type { Scored } from "./scenarios.ts";

/** The bench's own bound for being back, ms, and ours where the provider's checks tell the truth. */
const backWithin = { truthful: 5_000, lying: 30_000, none: 30_000 } as const;
const maxTouches = 4;

export interface Outage {
  seen: Seen[];
  /** Requests that touched the primary while it was down. */
  touches: number;
  /** From the end of the outage to its first answer, ms; null: it was not used again. */
  backAfterMs: number | null;
}

/**
 * Asks every `everyMs`, through the outage and until the primary is back or has had its time, one call after another: on a busy
 * machine calls that overlap would touch the primary before the first of them has found out.
 */
export async function ride(
  ask: ReturnType<typeof caller>,
  pool: string,
  hits: () => Hit[],
  profile: Profile,
  checks: Checks,
): Promise<Outage> {
  const startedAt = performance.now();
  const seen: Promise<Seen>[] = [];
  const touched = () => hits().filter(({ faulty }) => faulty);
  const back = () => hits().find(({ faulty }) => !faulty);
  const lastAt = profile.outageMs + backWithin[checks];
  for (let turn = 0; turn * profile.everyMs < lastAt; turn++) {
    const waitMs = turn * profile.everyMs - (performance.now() - startedAt);
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    await seen.at(-1);
    if (back()) break;
    seen.push(ask(pool));
  }
  const all = await Promise.all(seen);
  const first = hits()[0]?.at ?? 0;
  const returned = back();
  return {
    seen: all,
    touches: touched().length,
    backAfterMs: returned ? Math.round(returned.at - first - profile.outageMs) : null,
  };
}

/** Judges an outage. */
export function scoreOutage({ seen, touches, backAfterMs }: Outage, checks: Checks): Scored {
  const unserved = seen.filter((one) => !isWhole(one)).length;
  const late = backAfterMs === null || backAfterMs > backWithin[checks];
  const failed = unserved > 0 || late || seen.some(({ kind }) => kind === "hang");
  const verdict = failed ? "fail" : touches > maxTouches ? "partial" : "pass";
  const note = `${unserved} of ${seen.length} not served, ${touches} touched the primary in the outage, back after ${backAfterMs} ms`;
  const ms = Math.round(Math.max(...seen.map((one) => one.ms)));
  return { id: "S15", title: "down for a while, then well", verdict, note, ms };
}

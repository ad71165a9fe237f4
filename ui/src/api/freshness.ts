// How what is on the screen is kept fresh: the server says what changed (live), or everything is read again every
// few seconds (polling), or a person has paused that.

import { useSyncExternalStore } from "react";

type Freshness = "live" | "polling" | "paused";

/** How often what is on the screen is read again, ms: while polling, and as a net while the server says what changed. */
const pollMs = 5_000;
const netMs = 30_000;

/** Nothing is read by itself without a session: the service counts wrong credentials and then refuses a client. */
export const session = { hasEnded: false };

let freshness: Freshness = "polling";
const listeners = new Set<() => void>();

export function setFreshness(next: Freshness): void {
  if (next === freshness) return;
  freshness = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useFreshness = (): Freshness => useSyncExternalStore(subscribe, () => freshness);

/** When to read again, ms. `every`: what the query asks for itself; false: never. */
export function nextReadMs(every: number | false | undefined): number | false {
  if (session.hasEnded || freshness === "paused" || every === false) return false;
  return every ?? (freshness === "live" ? netMs : pollMs);
}

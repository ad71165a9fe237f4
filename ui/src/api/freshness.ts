// How displayed data is refreshed: the server announces changes (live), or everything is read again every few seconds (polling), or a
// person has paused updates.

import { useSyncExternalStore } from "react";
import { createListeners } from "./listeners.ts";

type Freshness = "live" | "polling" | "paused";

/** How often displayed data is read again, ms: while polling, and as a safety net while live. */
const pollMs = 5_000;
const netMs = 30_000;

/** Nothing is read automatically without a session: the service counts wrong credentials and eventually refuses the client. */
export const session = { hasEnded: false };

let freshness: Freshness = "polling";
const changes = createListeners();

/** Returns whether it was another before. */
export function setFreshness(next: Freshness): boolean {
  if (next === freshness) return false;
  freshness = next;
  changes.call();
  return true;
}

export const useFreshness = (): Freshness => useSyncExternalStore(changes.listen, () => freshness);

/** When to read again, ms. `every`: the query's own interval; false for never. */
export function nextReadMs(every: number | false | undefined): number | false {
  if (session.hasEnded || freshness === "paused" || every === false) return false;
  return every ?? (freshness === "live" ? netMs : pollMs);
}

/** Whether an answer with this status, or none (0), means that the service is away: proxies answer 502 and 504 then. */
export const isAway = (status: number): boolean => [0, 502, 503, 504].includes(status);

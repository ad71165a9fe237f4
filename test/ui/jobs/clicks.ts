// How much a job takes with a mouse.

import type { Locator } from "playwright-core";

/** Clicks, and counts: `since` says how often since it was asked last. */
export function counting(): { click: (control: Locator) => Promise<void>; since: () => number } {
  let clicks = 0;
  return {
    click: async (control) => {
      clicks += 1;
      await control.click();
    },
    since: () => {
      const sum = clicks;
      clicks = 0;
      return sum;
    },
  };
}

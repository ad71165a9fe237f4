// Comparing secrets.

import { createHash, timingSafeEqual } from "node:crypto";

/** Compares a token or signature without telling by the time it takes where they differ, nor how long they are. */
export function constantTimeEqual(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

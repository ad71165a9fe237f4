// Comparison of secrets.

import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two tokens or signatures in constant time: the time reveals neither where they differ nor their length. */
export function constantTimeEqual(actual: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(actual), digest(expected));
}

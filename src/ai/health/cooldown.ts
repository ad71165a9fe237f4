// How long a member, or one of its keys, rests after its vendor limited or refused it.

export const cooldownRules = {
  /** Cooldown after a 429 without `Retry-After`, and the longest one that is honoured. */
  defaultCooldownMs: 5_000,
  /** Minimum cooldown, even when `Retry-After` asks for less. */
  minCooldownMs: 500,
  maxCooldownMs: 600_000,
  /** Cooldown of a member that refused its key, balance or permission. */
  unauthorizedCooldownMs: 60_000,
} as const;

/** The length of the cooldown, ms. `retryAfterMs`: what the vendor requested after a limit; null if nothing. */
export function cooldownMs(kind: "rate_limited" | "unauthorized", retryAfterMs: number | null): number {
  const { defaultCooldownMs, minCooldownMs, maxCooldownMs, unauthorizedCooldownMs } = cooldownRules;
  const ms = kind === "unauthorized" ? unauthorizedCooldownMs : (retryAfterMs ?? defaultCooldownMs);
  return Math.min(Math.max(minCooldownMs, ms), maxCooldownMs);
}

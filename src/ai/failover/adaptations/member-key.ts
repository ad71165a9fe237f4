// The key of an attempt at a member that has several: which one is used, and what a limit or a refusal of it means.

import type { Run } from "#ai/failover/call.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import { ignoredByHealth, unauthorizedFailure, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { FailedAttempt, Plan, Reading } from "./adaptation.ts";

/** The member with the next key in turn, if possible one that the call has not used; `key` is null if it has at most one. */
export function withKey(choice: Choice<Member>, { learned }: Run, now: number): Pick<Plan, "asked" | "key"> {
  const { member, model } = choice;
  const key = member.keys?.next(model, now, learned.about(choice).spentKeys) ?? null;
  if (key === null) return { asked: choice, key };
  return { asked: { ...choice, member: { ...member, settings: key.settings } }, key };
}

/**
 * What a failure means for a member that may have taken some of its keys out of use. When all keys rest, so does the member: until the
 * first key at its limit is back, or, if all are refused, until the first may be used again. Keys that came back while the call went
 * through the others are left to other calls.
 */
export function readKeyFailure(
  { deps, choice: { member, model }, choice, run: { learned }, plan: { key }, now }: FailedAttempt,
  reading: Reading,
): Reading {
  const { failure } = reading;
  const { keys } = member;
  const isOfKey = failure.kind === "rate_limited" || failure.kind === "unauthorized";
  if (key === null || keys === null || !isOfKey) return reading;
  const { restsUntil, isNews } = keys.failed(key, model, failure, now);
  if (isNews) deps.keyRefused(member, key.position, failure);
  const spent = new Set(learned.about(choice).spentKeys).add(key.position);
  learned.add(choice, { spentKeys: spent });
  if (restsUntil === null) {
    if (keys.hasFresh(model, now, spent)) return { failure, hasNextKey: true };
    return { failure: ignoredByHealth({ ...failure, retryAfterMs: null }) };
  }
  const restMs = restsUntil.until - now;
  if (restsUntil.why === "unauthorized") {
    const refused = failure.kind === "unauthorized" ? failure : unauthorizedFailure(401, allRefused);
    return { failure: refused, keysRestMs: restMs };
  }
  const limited =
    failure.kind === "rate_limited"
      ? failure
      : vendorFailure("rate_limited", 429, "The model is at its limit.");
  return { failure: { ...limited, retryAfterMs: restMs } };
}

const allRefused = "The provider refuses all of the member's keys.";

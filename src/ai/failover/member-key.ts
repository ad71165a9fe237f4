// The key of an attempt at a member that has several: which one it goes with, and what a limit or a refusal of it means.

import type { Member } from "#ai/pools/member.ts";
import type { MemberKey } from "#ai/pools/member-keys.ts";
import type { Choice } from "#ai/pools/pool.ts";
import { sparingHealth, unauthorizedFailure, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { Failure } from "#providers/provider.ts";
import type { FailoverDeps, Run } from "./call.ts";

/** The member with the key that is its turn, a new one for the call if there is one; `key` is null where it has no more than one. */
export function withKey(
  choice: Choice<Member>,
  { spentKeys }: Pick<Run, "spentKeys">,
  now: number,
): { asked: Choice<Member>; key: MemberKey | null } {
  const { member, model } = choice;
  const key = member.keys?.next(model, now, spentKeys.get(choice)) ?? null;
  if (key === null) return { asked: choice, key };
  return { asked: { ...choice, member: { ...member, settings: key.settings } }, key };
}

/**
 * What a failure says about the member, some of whose keys it may have taken out. `next_key`: nothing, and it is to be asked
 * once more with a key that the call has not tried. `keysRestMs`: all keys are refused, and the first may be tried again after it.
 */
type FailureOfKeys = "next_key" | { failure: Failure; keysRestMs: number | null };

/**
 * When all keys rest, the member does: while one of them is only at its limit, until that one is back, else until the first
 * refused one may be tried again. Keys that came back while the call went through the others are left to other calls.
 */
export function failureOfKeys(
  deps: Pick<FailoverDeps, "keyRefused">,
  choice: Choice<Member>,
  { spentKeys }: Pick<Run, "spentKeys">,
  key: MemberKey | null,
  failure: Failure,
  now: number,
): FailureOfKeys {
  const { member, model } = choice;
  const { keys } = member;
  const isOfKey = failure.kind === "rate_limited" || failure.kind === "unauthorized";
  if (key === null || keys === null || !isOfKey) return { failure, keysRestMs: null };
  const { restsUntil, isNews } = keys.failed(key, model, failure, now);
  if (isNews) deps.keyRefused(member, key.position, failure);
  const spent = spentKeys.get(choice) ?? new Set();
  spentKeys.set(choice, spent.add(key.position));
  if (restsUntil === null) {
    if (keys.hasFresh(model, now, spent)) return "next_key";
    return { failure: sparingHealth({ ...failure, retryAfterMs: null }), keysRestMs: null };
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
  return { failure: { ...limited, retryAfterMs: restMs }, keysRestMs: null };
}

const allRefused = "The provider refuses all of the member's keys.";

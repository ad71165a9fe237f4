// The key of an attempt at a member that has several: which one it goes with, and what a limit or a refusal of it means.

import type { Member } from "#ai/pools/member.ts";
import type { MemberKey } from "#ai/pools/member-keys.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { Failure } from "#providers/provider.ts";
import type { FailoverDeps } from "./call.ts";

/** The member with the key that is its turn; `key` is null where it has no more than one. */
export function withKey(
  choice: Choice<Member>,
  now: number,
): { asked: Choice<Member>; key: MemberKey | null } {
  const { member, model } = choice;
  const key = member.keys?.next(model, now) ?? null;
  if (key === null) return { asked: choice, key };
  return { asked: { ...choice, member: { ...member, settings: key.settings } }, key };
}

/**
 * What a failure says about the member, some of whose keys it may have taken out. `next_key`: nothing, and it is to be asked
 * once more with another key. All keys rest: the member does until the first of them is back.
 */
export function failureOfKeys(
  deps: Pick<FailoverDeps, "keyRefused">,
  { member, model }: Choice<Member>,
  key: MemberKey | null,
  failure: Failure,
  now: number,
): Failure | "next_key" {
  if (key === null || member.keys === null) return failure;
  if (failure.kind !== "rate_limited" && failure.kind !== "unauthorized") return failure;
  const { restsUntil, isNews } = member.keys.failed(key, model, failure, now);
  if (isNews) deps.keyRefused(member, key.position, failure);
  if (restsUntil === null) return "next_key";
  const kind = restsUntil.why === "unauthorized" ? "unauthorized" : "rate_limited";
  return { ...failure, kind, retryAfterMs: restsUntil.until - now };
}

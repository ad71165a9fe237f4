// The client's own API at a member: when a request is forwarded unchanged, and what is learned if a vendor documents the API but this
// server or model lacks it.

import type { FailoverCall, Run } from "#ai/failover/call.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { Failure, NativeApi } from "#providers/provider.ts";
import type { FailedAttempt, Reading } from "./adaptation.ts";

/**
 * The format in which the member accepts the request unchanged, according to its settings with one key; null if it is translated. `now`:
 * monotonic ms.
 */
export function nativeApiFor(
  choice: Choice<Member>,
  { api }: FailoverCall,
  { learned }: Run,
  now: number,
  settings: unknown,
): NativeApi | null {
  const { member, model } = choice;
  if (learned.about(choice).translated !== undefined || member.health.missingApis.has(model, api.format, now))
    return null;
  return member.provider.native(api.format, settings, model);
}

/** Refusals that may be due to the format instead of the request. */
const formRefusals: readonly Failure["kind"][] = ["invalid_request", "unsupported", "model_not_found"];

/**
 * Records that the member refused a request in a format that its vendor documents. True if it is called once more with the request
 * translated.
 */
export function translateRefused(
  { choice, plan: { native }, run }: FailedAttempt,
  { failure: { kind, status, refused } }: Reading,
): boolean {
  const { translated } = run.learned.about(choice);
  if (!native?.assumed || translated !== undefined || !formRefusals.includes(kind)) return false;
  run.learned.add(choice, { translated: refused === undefined && (status === 404 || status === 405) });
  return true;
}

/**
 * The failure of a request that is only forwarded, as it counts for the member. A missing path or model is missing only there, since the
 * member may serve chat completions with the model; a missing path is tried again after six hours.
 */
export function asMissingThere(
  { choice: { member, model }, call: { api }, now }: FailedAttempt,
  reading: Reading,
): Reading {
  const { failure } = reading;
  const { kind, status } = failure;
  if (api.passedOn === undefined || (kind !== "unsupported" && kind !== "model_not_found")) return reading;
  if (status === 404 || status === 405) member.health.missingApis.learn(model, api.format, now);
  return kind === "unsupported" ? reading : { ...reading, failure: { ...failure, kind: "unsupported" } };
}

/** The member answered the translated request: if the path was missing before, it lacks the API. */
export function rememberMissingApi(
  choice: Choice<Member>,
  { api }: FailoverCall,
  { learned }: Run,
  now: number,
): void {
  if (learned.about(choice).translated) choice.member.health.missingApis.learn(choice.model, api.format, now);
}

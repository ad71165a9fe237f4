// The table of all adaptations.

import type { FailoverCall, FailoverDeps, Run } from "#ai/failover/call.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { Failure } from "#providers/provider.ts";
import { maxAnswerTokens } from "#providers/translate/clamp-max-tokens.ts";
import { undroppable } from "#providers/translate/hints.ts";
import type { Adaptation, FailedAttempt, Plan, Reading } from "./adaptation.ts";
import { readKeyFailure, withKey } from "./member-key.ts";
import { asMissingThere, nativeApiFor, translateRefused } from "./native-api.ts";
import { canGoUnsealed, sealedIn } from "./sealed-reasoning.ts";
import { learnToolsApi, toolsApiFor, withoutToolsApi } from "./tools-api.ts";
import { asLack, canGoFilled } from "./unsealed-reasoning.ts";

/** In order: each reads the failure as interpreted by those before it, and the search ends at the first one that learns something. */
const adaptations: readonly Adaptation[] = [
  { name: "translation", learn: translateRefused, ignoredByHealth: true },
  { name: "answer limit", learn: learnAnswerLimit },
  { name: "tools API", read: withoutToolsApi, learn: learnToolsApi },
  {
    name: "next key",
    read: readKeyFailure,
    learn: (_, { hasNextKey }) => hasNextKey === true,
    ignoredByHealth: true,
  },
  { name: "sealed reasoning", learn: canGoUnsealed },
  { name: "missing thoughts", read: asLack, learn: canGoFilled },
  { name: "API that is not translated", read: asMissingThere },
  { name: "refused parameter", learn: learnRefused },
];

/** How to call the member, based on what was learned before. `now`: monotonic ms. */
export function planFor(
  deps: FailoverDeps,
  call: FailoverCall,
  choice: Choice<Member>,
  run: Run,
  now: number,
): Plan {
  const { asked, key } = withKey(choice, run, now);
  const native = nativeApiFor(choice, call, run, now, asked.member.settings);
  const sealed = sealedIn(deps.origins, choice, native, call, run);
  return { asked, key, native, sealed, tools: toolsApiFor(asked, call, native, now) };
}

/** What the failure means, and the adaptation with which the member is called once more; null if it is not called again. */
export function adapt(
  attempt: FailedAttempt,
  failure: Failure,
): Reading & { adaptation: Pick<Adaptation, "name" | "ignoredByHealth"> | null } {
  let reading: Reading = { failure };
  for (const { read } of adaptations) if (read) reading = read(attempt, reading);
  const adaptation = adaptations.find(({ learn }) => learn?.(attempt, reading)) ?? null;
  return { ...reading, adaptation };
}

/** Records the longest answer that the model gives. A request that allowed a longer one is sent once more with that limit. */
function learnAnswerLimit(
  { call: { pool }, choice, request: { body }, run, now }: FailedAttempt,
  { failure: { kind, outputLimit } }: Reading,
): boolean {
  if (kind !== "unsupported" || outputLimit === undefined) return false;
  const asked = maxAnswerTokens(body);
  if (asked === null || asked <= outputLimit) return false;
  choice.member.health.limits.learn(choice.model, outputLimit, now);
  if (pool.params === "strict" || run.learned.about(choice).shortened) return false;
  run.learned.add(choice, { shortened: true });
  return true;
}

/**
 * Records the parameter that the vendor refused. A request that can do without it is sent once more. If the request is forwarded unchanged,
 * the caller sees the vendor's error and can leave the parameter out.
 */
function learnRefused(
  {
    call,
    choice: { member, model },
    plan: { native },
    request: { body },
    refused: before,
    now,
  }: FailedAttempt,
  { failure: { kind, refused } }: Reading,
): boolean {
  if (native !== null || kind !== "unsupported" || !refused) return false;
  if (!member.health.refused.learn(model, refused, body, now)) return false;
  const { name } = refused;
  if (before.includes(name)) return false;
  return call.api.optional.has(name) || undroppable([...before, name], call.pool.params).length === 0;
}

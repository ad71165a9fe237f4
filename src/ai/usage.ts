// Usage records of calls, which are written after the answers.

import type { CallCost } from "#ai/limits/budget.ts";
import { localDay } from "#ai/limits/local-day.ts";
import { costInMillionths } from "#contract/cost.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { recordUsage, type UsedCall } from "#store/pools/usage.ts";
import type { CallOutcome } from "./complete.ts";
import type { AdmittedCall } from "./serve.ts";
import { createWriteBehind, type WriteBehind } from "./write-behind.ts";

const maxPending = 20_000;
const batchSize = 2_000;

/** Writes usage records after the answers. `dropped`: number of calls whose record was dropped. */
export function createUsageLog({
  database,
  ...deps
}: {
  database: Database;
  clock: Clock;
  log: Log;
  dropped(count: number): void;
  /** The record has been written and can be read. */
  written?(call: UsedCall): void;
}): WriteBehind<UsedCall> {
  return createWriteBehind<UsedCall>({
    ...deps,
    write: (calls) => database.run(recordUsage, [...calls]),
    batchSize,
    maxPending,
    words: { event: "usage", many: "Usage records", one: "usage record" },
  });
}

/** The usage record of a call that has ended. */
export function usageRow(call: AdmittedCall, outcome: CallOutcome): UsedCall {
  const { id, key, kind, api, stream, at, clientRequestId, labels, person } = call;
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = outcome.usage;
  const { cost, cost_rest, source } = outcome.cost ?? { cost: 0, cost_rest: 0, source: null };
  return {
    id,
    account_id: key.accountId,
    pool_id: key.poolId,
    key_id: key.id,
    at,
    day: localDay(at, key.timeZone),
    kind,
    stream: stream ? 1 : 0,
    status: outcome.status,
    member: outcome.member,
    model: outcome.model,
    attempts: JSON.stringify(outcome.attempts),
    failed_over: hasFailedOver(outcome.attempts) ? 1 : 0,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    estimated: outcome.estimated ? 1 : 0,
    cost,
    cost_rest,
    cached_tokens: cachedTokens,
    cache_write_tokens: cacheWriteTokens,
    price_source: source,
    first_byte_ms: outcome.firstByteMs === null ? null : Math.round(outcome.firstByteMs),
    ms: Math.round(outcome.ms),
    end_user: labels.user,
    tags: labels.tags.length === 0 ? "[]" : JSON.stringify(labels.tags),
    client_request_id: clientRequestId,
    api,
    person: person?.name ?? null,
    reused: outcome.reused ?? null,
  };
}

/** Whether more than one member was called. */
const hasFailedOver = (attempts: CallOutcome["attempts"]) =>
  attempts.some(({ member }) => member !== attempts[0]?.member);

/**
 * What a record counts towards its key's budget: prompt and completion tokens, because a later read adds up the same columns. A vendor's
 * total may be larger.
 */
export function costOf(call: UsedCall): CallCost {
  const { day, prompt_tokens, completion_tokens } = call;
  return { day, tokens: prompt_tokens + completion_tokens, cost: costInMillionths(call) };
}

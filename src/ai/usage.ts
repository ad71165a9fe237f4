// Writes usage records behind the answers, in batches about once a second. A storage outage fails no call: the queue
// is bounded and dropped records are counted. A crash loses at most the last second.

import type { CallCost } from "#ai/limits/budget.ts";
import { localDay } from "#ai/limits/local-day.ts";
import { costInMillionths } from "#contract/cost.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import { type Database, StorageError } from "#store/database.ts";
import { recordUsage, type UsedCall } from "#store/pools/usage.ts";
import type { CallOutcome } from "./complete.ts";
import type { AdmittedCall } from "./serve.ts";

interface UsageLog {
  record(row: UsedCall): void;
  /** Writes the pending records, as far as the storage accepts them. */
  stop(): Promise<void>;
}

const intervalMs = 1_000;
const maxPending = 20_000;
/** Each batch is one transaction, whose flush dominates its cost. */
const batchSize = 2_000;

const isUnavailable = (error: unknown) => error instanceof StorageError && error.fault !== "failed";

export function createUsageLog(deps: {
  database: Database;
  clock: Clock;
  log: Log;
  /** Number of calls whose record was dropped. */
  dropped(count: number): void;
  /** The record has been written and can be read. */
  written?(call: UsedCall): void;
}): UsageLog {
  const { database, clock, log, dropped, written } = deps;
  const stopping = new AbortController();
  let pending: UsedCall[] = [];
  const writes = new Interval({
    clock,
    log,
    signal: stopping.signal,
    ms: intervalMs,
    isNeeded: () => pending.length > 0,
    turn: write,
    failure: { event: "usage.write_failed", message: "Usage records could not be written." },
  });

  /**
   * Writes a batch together. If it fails, writes its records one by one, so that an invalid record does not
   * block the others.
   */
  async function write(): Promise<void> {
    while (pending.length > 0) {
      const batch = pending.splice(0, batchSize);
      const error = await writeRows(batch);
      if (error === null) continue;
      const retries: UsedCall[] = [];
      let outage: unknown = null;
      if (isUnavailable(error)) {
        // The batch may have been written; a record that is written twice counts once.
        retries.push(...batch);
        outage = error;
      } else {
        const errors = await Promise.all(batch.map((call) => writeRows([call])));
        for (const [at, call] of batch.entries()) {
          const callError = errors[at] ?? null;
          if (callError === null) continue;
          if (isUnavailable(callError)) {
            retries.push(call);
            outage = callError;
            continue;
          }
          log.error(
            { event: "usage.record_rejected", error: callError, call: call.id },
            "A usage record cannot be written; it is dropped.",
          );
          dropped(1);
        }
      }
      if (outage === null) continue;
      pending = [...retries, ...pending];
      trim();
      log.warn(
        { event: "usage.write_failed", error: outage, pending: pending.length },
        "Usage records could not be written; the write will be retried.",
      );
      return;
    }
  }

  /** The error of the write; null: the records are written. */
  async function writeRows(calls: UsedCall[]): Promise<unknown> {
    try {
      await database.run(recordUsage, calls);
    } catch (error) {
      return error;
    }
    if (written) for (const call of calls) written(call);
    return null;
  }

  function trim(): void {
    const excess = pending.length - maxPending;
    if (excess <= 0) return;
    pending.splice(0, excess);
    dropped(excess);
  }

  return {
    record: (row) => {
      pending.push(row);
      trim();
      writes.start();
    },
    stop: async () => {
      stopping.abort();
      await writes.ended();
      await write();
      if (pending.length > 0) dropped(pending.length);
      pending = [];
    },
  };
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

/** Whether more than one member was asked. */
const hasFailedOver = (attempts: CallOutcome["attempts"]) =>
  attempts.some(({ member }) => member !== attempts[0]?.member);

/**
 * What a record counts for in its key's budget: prompt and completion tokens, because a later read adds up
 * the same columns. A vendor's total may be larger.
 */
export function costOf(call: UsedCall): CallCost {
  const { day, prompt_tokens, completion_tokens } = call;
  return { day, tokens: prompt_tokens + completion_tokens, cost: costInMillionths(call) };
}

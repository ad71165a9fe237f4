// Deferred completions: stored now, served later by the lane of their pool (`serve-deferred.ts`), and read and cancelled with the key that
// created them. Requests and results are stored sealed.

import type { Opened } from "#ai/pools/pools.ts";
import type { OpenAiError } from "#contract/ai/openai-error.ts";
import type { Core } from "#core/core.ts";
import type { Database } from "#store/database.ts";
import {
  cancelDeferred as cancelRow,
  deferredContext,
  findDeferred as findRow,
  insertDeferred,
  maxKeptBytes,
  maxKeyKeptBytes,
  readKeptResults,
} from "#store/pools/deferred-completions.ts";
import type { DeferredCompletionsTable } from "#store/schema/pools.ts";
import { formatAt, packed, pathOf, type StoredRequest, unpacked } from "./stored-request.ts";

type DeferredDeps = Pick<Core, "clock" | "database" | "newId" | "sealer">;

/** How long a completion is attempted from its scheduled time on, ms. */
const deferredTtlMs = 24 * 3_600_000;
/** How far ahead a completion may be scheduled, ms: one year. */
export const deferredHorizonMs = 366 * 24 * 3_600_000;

/** The result of a completion, in the format of the API that was called; `path`: that of its operation, absent for chat completions. */
export type DeferredResult = { path?: string } & (
  | { response: string }
  /** `status`: the HTTP status of the answer; absent for 500. */
  | { error: OpenAiError; status?: number }
);

/** A deferred completion; `result` is null if there is none, or none yet. */
export interface Deferred {
  row: DeferredCompletionsTable;
  result: DeferredResult | null;
}

/**
 * Stores a request to be served at `dueAt` (epoch ms) or later. `full`: too many are waiting, or the kept results of the pool or the key
 * are too large.
 */
export async function deferCompletion(
  deps: DeferredDeps,
  { key, pool }: Opened,
  request: StoredRequest,
  dueAt: number,
): Promise<{ kind: "stored"; row: DeferredCompletionsTable } | { kind: "full"; of: "pool" | "key" }> {
  const { clock, database, newId, sealer } = deps;
  const full = await keepsTooMuch(deps, pool.id, key.id);
  if (full !== null) return { kind: "full", of: full };
  const id = newId("cmp");
  const text = packed(request);
  const row: DeferredCompletionsTable = {
    id,
    account_id: pool.accountId,
    pool_id: pool.id,
    key_id: key.id,
    api: formatAt(request.path),
    status: "queued",
    priority: 0,
    due_at: dueAt,
    attempts: 0,
    expires_at: dueAt + deferredTtlMs,
    bytes: Buffer.byteLength(text),
    request: sealer.seal(text, deferredContext(id, "request")),
    result: null,
    scheduled_for: dueAt,
    created_at: clock.now(),
    finished_at: null,
  };
  const stored = await database.run(insertDeferred, row);
  if (stored.kind === "full") return stored;
  return { kind: "stored", row };
}

/** How long the sum of kept results stays valid, ms: it reads an index entry for each result of a pool. */
const keptForMs = 30_000;
type Kept = { until: number; results: Promise<{ keyId: string; bytes: number }[]> };
const keptResults = new WeakMap<Database, Map<string, Kept>>();

/** Whether the results of the pool or of the key exceed their limits; the sums may be 30 s old. */
async function keepsTooMuch(
  { clock, database }: DeferredDeps,
  poolId: string,
  keyId: string,
): Promise<"pool" | "key" | null> {
  const pools = keptResults.get(database) ?? new Map<string, Kept>();
  keptResults.set(database, pools);
  const now = clock.monotonic();
  for (const [id, { until }] of pools) if (until <= now) pools.delete(id);
  const kept = pools.get(poolId) ?? {
    until: now + keptForMs,
    results: database.run(readKeptResults, poolId),
  };
  pools.set(poolId, kept);
  kept.results.catch(() => pools.delete(poolId));
  const results = await kept.results;
  if ((results.find((result) => result.keyId === keyId)?.bytes ?? 0) >= maxKeyKeptBytes) return "key";
  return results.reduce((sum, { bytes }) => sum + bytes, 0) >= maxKeptBytes ? "pool" : null;
}

/** The completion that this key created. Null for an unknown id. */
export async function findDeferred(
  { database, sealer }: DeferredDeps,
  { key }: Opened,
  id: string,
): Promise<Deferred | null> {
  const row = await database.run(findRow, { id, keyId: key.id });
  return row && { row, result: openResult(sealer, row) };
}

/** The request of a completion that has not ended; null if it has ended and its request was deleted. */
export function requestOf({ sealer }: DeferredDeps, { id, request }: DeferredCompletionsTable) {
  return request === null ? null : unpacked(sealer.unseal(request, deferredContext(id, "request")));
}

/** Cancels a completion that this key created. `ended`: it had already ended. Null for an unknown id. */
export async function cancelDeferred(
  { clock, database }: DeferredDeps,
  { key }: Opened,
  id: string,
): Promise<{ row: DeferredCompletionsTable; ended: boolean } | null> {
  return await database.run(cancelRow, { id, keyId: key.id, at: clock.now() });
}

const restored: OpenAiError = {
  message: "It waited when the copy was made that this installation was restored from. Ask for it again.",
  type: "server_error",
  param: null,
  code: "restored",
};

function openResult(
  sealer: Core["sealer"],
  { id, status, result, api }: DeferredCompletionsTable,
): DeferredResult | null {
  if (result !== null)
    return JSON.parse(sealer.unseal(result, deferredContext(id, "result"))) as DeferredResult;
  // Without the installation's key, a restore cannot seal a reason.
  if (status !== "failed") return null;
  const path = pathOf(api);
  return { error: restored, ...(path !== undefined && { path }) };
}

// The deferred completions of a pool: GET …/pools/{pool}/deferred, and POST …/deferred/{completion}/cancel

import { idParam } from "#contract/envelope.ts";
import {
  type DeferredReplyData,
  poolDeferredPage,
  poolDeferredQuery,
  poolDeferredReply,
} from "#contract/manage/deferred.ts";
import { problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import {
  cancelDeferred,
  listWaitingDeferred,
  type WaitingDeferred,
} from "#store/pools/deferred-completions.ts";
import { findPool, poolParams, poolPath } from "./pools.ts";

const about = { tag: "Pools", scope: "account" } as const;

const dataOf = (row: WaitingDeferred): DeferredReplyData => ({
  id: row.id,
  key: row.key_id,
  api: row.api,
  status: row.status,
  attempts: row.attempts,
  bytes: row.bytes,
  scheduled_for: isoTime(row.scheduled_for),
  next_at: isoTime(row.due_at),
  expires_at: isoTime(row.expires_at),
  created_at: isoTime(row.created_at),
  finished_at: isoTime(row.finished_at),
});

export const listPoolDeferredRoute = endpoint({
  ...about,
  method: "GET",
  path: `${poolPath}/deferred`,
  name: "listPoolDeferred",
  summary: "List a pool's deferred completions",
  description:
    "The list has those that wait or are under way, without what they ask for. The newest one comes first.",
  params: poolParams,
  query: poolDeferredQuery,
  replies: { 200: poolDeferredPage },
})(async (call) => {
  const found = await findPool(call);
  const { limit, cursor = null, key = null } = call.query;
  const of = { accountId: call.account.id, poolId: found.pool.id, keyId: key, before: cursor };
  const rows = await call.core.database.run(listWaitingDeferred, { ...of, limit: limit + 1 });
  return { message: "Deferred completions found.", ...pageOf(rows, limit, dataOf) };
});

export const cancelPoolDeferredRoute = endpoint({
  ...about,
  method: "POST",
  path: `${poolPath}/deferred/{completion}/cancel`,
  name: "cancelPoolDeferred",
  summary: "Cancel a deferred completion of a pool",
  description:
    "An attempt that is under way ends by itself, and its answer is dropped. Revoking a key cancels all that it left waiting.",
  params: { ...poolParams, completion: idParam("The completion's id.") },
  replies: { 200: poolDeferredReply },
  problems: ["conflict"],
})(async ({ core, account, params: { pool, completion } }) => {
  const { clock, database } = core;
  const of = { accountId: account.id, poolId: pool, id: completion, at: clock.now() };
  const cancelled = orNotFound(await database.run(cancelDeferred, of));
  if (cancelled.ended) return problem("conflict", { message: "The completion has ended." });
  const data = dataOf(cancelled.row);
  return { message: "The completion has been cancelled.", data };
});

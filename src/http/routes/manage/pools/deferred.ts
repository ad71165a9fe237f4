// The deferred completions of a pool: GET …/pools/{pool}/deferred, and POST …/deferred/{completion}/cancel

import { idParam } from "#contract/envelope.ts";
import {
  type DeferredReplyData,
  poolDeferredPage,
  poolDeferredQuery,
  poolDeferredReply,
} from "#contract/manage/deferred.ts";
import { isProblem, problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { queryOf } from "#http/request.ts";
import { validateQuery } from "#http/validate.ts";
import {
  cancelDeferred,
  listWaitingDeferred,
  type WaitingDeferred,
} from "#store/pools/deferred-completions.ts";
import { findPool, poolParams, poolPath } from "./pools.ts";

const about = { tag: "Pools", family: "manage", scope: "account" } as const;

const timeOrNull = (at: number | null) => (at === null ? null : isoTime(at));

const dataOf = (row: WaitingDeferred): DeferredReplyData => ({
  id: row.id,
  key: row.key_id,
  api: row.api,
  status: row.status,
  attempts: row.attempts,
  bytes: row.bytes,
  scheduled_for: isoTime(row.scheduled_for),
  next_at: timeOrNull(row.due_at),
  expires_at: isoTime(row.expires_at),
  created_at: isoTime(row.created_at),
  finished_at: timeOrNull(row.finished_at),
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
  problems: ["not_found"],
})(async (call) => {
  const query = validateQuery(poolDeferredQuery, queryOf(call.request));
  if (isProblem(query)) return query;
  const found = await findPool(call);
  if (found === null) return problem("not_found");
  const { limit, cursor = null, key = null } = query.value;
  const of = { accountId: call.account.id, poolId: found.pool.id, keyId: key, before: cursor };
  const rows = await call.core.database.run(listWaitingDeferred, { ...of, limit: limit + 1 });
  const page = pageOf(rows, limit);
  return {
    status: 200,
    body: {
      success: true,
      message: "Deferred completions found.",
      data: page.rows.map(dataOf),
      next_cursor: page.nextCursor,
    },
  };
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
  problems: ["not_found", "conflict"],
})(async ({ core, account, params: { pool, completion } }) => {
  if (!isId(pool) || !isId(completion)) return problem("not_found");
  const { clock, database } = core;
  const of = { accountId: account.id, poolId: pool, id: completion, at: clock.now() };
  const cancelled = await database.run(cancelDeferred, of);
  if (cancelled === null) return problem("not_found");
  if (cancelled.ended) return problem("conflict", { message: "The completion has ended." });
  const data = dataOf(cancelled.row);
  return { status: 200, body: { success: true, message: "The completion has been cancelled.", data } };
});

// POST …/pools/{pool}/try: a completion for a person who tries the pool, which shows the members that are called.

import { TrialStream } from "#ai/trial/trial.ts";
import { tryPoolEvents, tryPoolRequest } from "#contract/manage/pools/try.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import type { Reply } from "#http/reply/response.ts";
import { eventStreamHeaders } from "#http/reply/sse.ts";
import { findPool, poolParams, poolPath } from "./pools.ts";

/** Each one may cost money. */
const perMinute = 30;

export const tryPoolRoute = endpoint({
  method: "POST",
  path: `${poolPath}/try`,
  name: "tryPool",
  tag: "Pools",
  summary: "Try a pool",
  description:
    "Serves a conversation as a call of the pool, without a key, and answers with server-sent events that tell which members were asked and what became of it. The call is recorded under the name of the person or token, counts for the budgets of the pool and the account, and costs what it costs. `pretend_down` shows a failover: those members are not asked, and stay as healthy as they are. Closing the connection gives up the member. 30 a minute for each person or token.",
  scope: "account",
  params: poolParams,
  body: tryPoolRequest,
  replies: { 200: tryPoolEvents },
  replyType: "text/event-stream",
})(async (call): Promise<Reply> => {
  const found = await findPool(call);
  const ids = new Set(found.members.map(({ id }) => id));
  const unknown = call.input.pretend_down.findIndex((id) => !ids.has(id));
  if (unknown !== -1)
    return validationFailed([{ path: ["pretend_down", unknown], message: "is no member of the pool" }]);
  const { core, principal, requestId } = call;
  const retryAfterMs = call.gate.rateLimit(`try ${principal.id}`, perMinute);
  if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  const opened = core.ai.openForPerson(found, call.account);
  const stream = new TrialStream(core, opened, call.input, { requestId, person: principal.name });
  return { status: 200, body: stream, headers: eventStreamHeaders };
});

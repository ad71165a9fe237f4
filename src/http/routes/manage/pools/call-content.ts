// GET …/pools/{pool}/calls/{call}/content: the request and the answer of a call, if the pool keeps a content log.

import type { StoredContent } from "#ai/content-log/content-log.ts";
import { idParam } from "#contract/envelope.ts";
import { type CallContentData, callContentReply } from "#contract/manage/pools/content-log.ts";
import { problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { contentContext, findCallContent } from "#store/pools/call-contents.ts";
import { findCall } from "#store/pools/usage.ts";
import { poolParams, poolPath } from "./pools.ts";

const nothing: Omit<CallContentData, "call" | "status"> = {
  request: null,
  response: null,
  missing: { request: 0, response: 0 },
  redacted: [],
  stored_at: null,
  deleted_at: null,
};

export const getPoolCallContentRoute = endpoint({
  method: "GET",
  tag: "Pools",
  scope: "account",
  path: `${poolPath}/calls/{call}/content`,
  name: "getPoolCallContent",
  summary: "Get what was asked and answered in a call",
  description:
    "It is stored for pools with `content_log`, a moment after the call's end. A management token needs the scope `prompts:read`; no other scope includes it. Each look is in the audit log.",
  audited: true,
  params: { ...poolParams, call: idParam("The call's id, which is its `X-Request-Id`.") },
  replies: { 200: callContentReply },
})(async ({ core, account, params: { pool, call } }) => {
  const of = { accountId: account.id, poolId: pool };
  if ((await core.database.run(findCall, { ...of, id: call })) === null) return problem("not_found");
  const found = await core.database.run(findCallContent, { ...of, callId: call, now: core.clock.now() });
  const reply = (data: Omit<CallContentData, "call">) =>
    ({ message: "Content looked up.", data: { call, ...data } }) as const;
  if (found === null || found === "off")
    return reply({ status: found === null ? "none" : "off", ...nothing });
  const content = JSON.parse(core.sealer.unseal(found.content, contentContext(call))) as StoredContent;
  const { request, response, missing, redacted } = content;
  return reply({
    status: "stored",
    request,
    response,
    missing,
    redacted: [...redacted],
    stored_at: isoTime(found.stored_at),
    deleted_at: isoTime(found.deleted_at),
  });
});

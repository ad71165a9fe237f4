// GET …/gateways/{gateway}/pauses: when a gateway sent nothing, and why.

import { pausesQuery, pausesReply } from "#contract/manage/gateways.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { readPauses } from "#store/gateways/pauses.ts";
import { gatewayParams } from "./gateways.ts";

export const listGatewayPausesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/gateways/{gateway}/pauses",
  name: "listGatewayPauses",
  tag: "Gateways",
  summary: "List the pauses of a gateway",
  description:
    "The newest pause comes first. A pause that trouble made and a person ended, or the other way round, is one.",
  scope: "account",
  params: gatewayParams,
  query: pausesQuery,
  replies: { 200: pausesReply },
})(async ({ core, account, params: { gateway: identifier }, query }) => {
  const { limit, cursor } = query;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
  const filter = { accountId: account.id, identifier, before, limit: limit + 1 };
  const rows = orNotFound(await core.database.run(readPauses, filter));
  const page = rows.slice(0, limit);
  return {
    message: "Pauses found.",
    data: page.map(({ since, until, reason }) => ({
      since: isoTime(since),
      until: isoTime(until),
      reason,
    })),
    next_cursor: rows.length > limit ? String(page.at(-1)!.since) : null,
  };
});

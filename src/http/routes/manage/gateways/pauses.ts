// GET …/gateways/{gateway}/pauses: when a gateway sent nothing, and why.

import { pausesQuery, pausesReply } from "#contract/manage/gateways.ts";
import { isProblem, problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { queryOf } from "#http/request.ts";
import { validateQuery } from "#http/validate.ts";
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
  family: "manage",
  scope: "account",
  params: gatewayParams,
  query: pausesQuery,
  replies: { 200: pausesReply },
  problems: ["not_found"],
})(async ({ core, account, request, params: { gateway: identifier } }) => {
  const query = validateQuery(pausesQuery, queryOf(request));
  if (isProblem(query)) return query;
  if (identifier === undefined) return problem("not_found");
  const { limit, cursor } = query.value;
  const rows = await core.database.run(readPauses, {
    accountId: account.id,
    identifier,
    before: cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor),
    limit: limit + 1,
  });
  if (rows === null) return problem("not_found");
  const page = rows.slice(0, limit);
  return {
    status: 200,
    body: {
      success: true,
      message: "Pauses found.",
      data: page.map(({ since, until, reason }) => ({
        since: isoTime(since),
        until: until === null ? null : isoTime(until),
        reason,
      })),
      next_cursor: rows.length > limit ? String(page.at(-1)!.since) : null,
    },
  };
});

// GET /api/manage/v1/accounts/{account}/received

import { manageReceivedQuery, manageReceivedReply } from "#contract/manage/consent.ts";
import { isProblem, validationFailed } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { queryOf } from "#http/request.ts";
import { accountParam } from "#http/routes/manage/accounts/accounts.ts";
import { validateQuery } from "#http/validate.ts";
import { received } from "#messaging/inbound.ts";

export const listAccountReceivedMessagesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/received",
  name: "manageListReceived",
  tag: "Management: messages",
  summary: "List what people wrote",
  description: "Messages to the account's gateways, newest first, a page at a time.",
  family: "manage",
  scope: "account",
  params: { account: accountParam },
  query: manageReceivedQuery,
  replies: { 200: manageReceivedReply },
  problems: ["not_found"],
})(async ({ core, account, request }) => {
  const query = validateQuery(manageReceivedQuery, queryOf(request));
  if (isProblem(query)) return query;
  const { channel = null, limit, cursor = null } = query.value;
  const page = await received(core.database, account.id, channel, { limit, cursor });
  if (page === null) return validationFailed([{ path: ["cursor"], message: "is none that was given out" }]);
  return {
    status: 200,
    body: { success: true, message: "Messages found.", data: page.records, next_cursor: page.nextCursor },
  };
});

// Lists the messages that people sent to an account's gateways.

import { accountReceivedQuery } from "#contract/manage/consent.ts";
import { receivedReply } from "#contract/messages/received/record.ts";
import { validationFailed } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { filteredReceived } from "#messaging/inbound.ts";

export const listAccountReceivedMessagesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/received",
  name: "listAccountReceivedMessages",
  tag: "Account messages",
  summary: "List the messages that an account received",
  description:
    "The list has the messages from people to the account's gateways, or those of one person. The newest message comes first.",
  scope: "account",
  query: accountReceivedQuery,
  replies: { 200: receivedReply },
})(async ({ core, account, query }) => {
  const { channel = null, from = null, gateway = null, limit, cursor = null } = query;
  const filters = { channel, from, gateway };
  const page = await filteredReceived(core.database, account, filters, { limit, cursor });
  if (page.kind === "invalid") return validationFailed([{ path: [page.field], message: page.message }]);
  return { message: "Messages found.", data: page.records, next_cursor: page.nextCursor };
});

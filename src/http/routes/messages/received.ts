// Lists the messages that people sent to the gateways of the API key's account, by channel.

import { readReceived, receivedQuery, receivedReply } from "#contract/messages/received/record.ts";
import { validationFailed } from "#contract/problem.ts";
import { sentences } from "#contract/wording.ts";
import { endpoint } from "#http/endpoint.ts";
import { channelParam, isChannel, unknownChannel } from "#http/path-params.ts";
import { queryOf } from "#http/request.ts";
import { received } from "#messaging/inbound.ts";

export const listReceivedMessagesRoute = endpoint({
  method: "GET",
  path: "/api/received/{channel}",
  name: "listReceivedMessages",
  tag: "Lookups",
  summary: "List the received messages of a channel",
  description:
    "The list has the messages from people to the account's gateways. The newest message comes first.",
  family: "api_key",
  right: "read",
  params: { channel: channelParam },
  query: receivedQuery,
  replies: { 200: receivedReply },
  problems: ["not_found"],
})(async ({ core, account, request, params: { channel } }) => {
  if (!isChannel(channel)) return unknownChannel;
  const query = readReceived(queryOf(request));
  if (query.issues !== null) return validationFailed(query.issues);
  const { limit, cursor } = query;
  const page = await received(core.database, account, channel, { limit, cursor });
  if (page === null) return validationFailed([{ path: ["cursor"], message: sentences.selected(["cursor"]) }]);
  return { message: "Messages found.", data: page.records, next_cursor: page.nextCursor };
});

// Reads one message with its timeline, and lists the latest messages of a channel.

import { idParam } from "#contract/envelope.ts";
import { readRecent, recentQuery } from "#contract/messages/lookup.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { messagesReply, recordReply } from "#contract/replies.ts";
import { sentences } from "#contract/wording.ts";
import { endpoint } from "#http/endpoint.ts";
import { channelParam, isChannel, isId, unknownChannel } from "#http/path-params.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { queryOf } from "#http/request.ts";
import { lookup, recent } from "#messaging/lookup.ts";

export const getMessageRoute = endpoint({
  method: "GET",
  path: "/api/get/{channel}/{id}",
  name: "getMessage",
  tag: "Lookups",
  summary: "Get a message",
  description: "The reply has the message's record with its timeline.",
  family: "api_key",
  right: "read",
  params: { channel: channelParam, id: idParam("The message's id.") },
  replies: { 200: recordReply },
  problems: ["not_found"],
})(async ({ core, account, params: { channel, id } }) => {
  if (!isChannel(channel)) return unknownChannel;
  if (!isId(id)) return problem("not_found");
  const data = orNotFound(await lookup(core, account, channel, id));
  return { message: "Message found.", data };
});

export const listMessagesRoute = endpoint({
  method: "GET",
  path: "/api/get/{channel}",
  name: "listMessages",
  tag: "Lookups",
  summary: "List the most recent messages of a channel",
  description: "The newest message comes first.",
  family: "api_key",
  right: "read",
  params: { channel: channelParam },
  query: recentQuery,
  replies: { 200: messagesReply },
  problems: ["not_found"],
})(async ({ core, account, request, params: { channel } }) => {
  if (!isChannel(channel)) return unknownChannel;
  const query = readRecent(queryOf(request));
  if (query.issues !== null) return validationFailed(query.issues);
  const { limit, cursor, status } = query;
  const page = await recent(core, account, channel, { limit, cursor, status });
  if (page === null) return validationFailed([{ path: ["cursor"], message: sentences.selected(["cursor"]) }]);
  return { message: "Messages found.", data: page.records, next_cursor: page.nextCursor };
});

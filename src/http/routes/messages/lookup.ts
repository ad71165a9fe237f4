// GET /api/get/{channel}/{id} and GET /api/get/{channel}

import { idParam } from "#contract/envelope.ts";
import { type Channel, channels, channelWord } from "#contract/messages/channel.ts";
import { readRecent, recentQuery } from "#contract/messages/lookup.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { messagesReply, recordReply } from "#contract/replies.ts";
import { say } from "#contract/wording.ts";
import { queryOf } from "#http/auth/api-key.ts";
import { endpoint } from "#http/endpoint.ts";

export const channelParam = channelWord.describe("The channel.");

/** Whether the text names a channel, in lower case. */
export function isChannel(word: string | undefined): word is Channel {
  return (channels as readonly (string | undefined)[]).includes(word);
}

/** Whether the text has the form of an id. The storage is not asked for any other text. */
export function isId(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

export const getMessageRoute = endpoint({
  method: "GET",
  path: "/api/get/{channel}/{id}",
  name: "getMessage",
  tag: "Lookups",
  summary: "Get a message",
  description: "The reply has the message's record with its timeline.",
  family: "api_key",
  params: { channel: channelParam, id: idParam("The message's id.") },
  replies: { 200: recordReply },
  problems: ["not_found"],
})(async ({ parts, account, params: { channel, id } }) => {
  if (!isChannel(channel) || !isId(id)) return problem("not_found");
  const record = await parts.lookup(account, channel, id);
  if (record === null) return problem("not_found");
  return { status: 200, body: { success: true, message: "Message found.", data: record } };
});

export const listMessagesRoute = endpoint({
  method: "GET",
  path: "/api/get/{channel}",
  name: "listMessages",
  tag: "Lookups",
  summary: "List the most recent messages of a channel",
  description: "The newest message comes first.",
  family: "api_key",
  params: { channel: channelParam },
  query: recentQuery,
  replies: { 200: messagesReply },
  problems: ["not_found"],
})(async ({ parts, account, request, params: { channel } }) => {
  if (!isChannel(channel)) return problem("not_found");
  const query = readRecent(queryOf(request));
  if (query.issues !== null) return validationFailed(query.issues);
  const { limit, cursor, status } = query;
  const page = await parts.recent(account, channel, { limit, cursor, status });
  if (page === null) return validationFailed([{ path: ["cursor"], message: say.selected(["cursor"]) }]);
  return {
    status: 200,
    body: { success: true, message: "Messages found.", data: page.records, next_cursor: page.nextCursor },
  };
});

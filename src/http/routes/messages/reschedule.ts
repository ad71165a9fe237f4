// Moves a message of the API key's account to another time until its transmission starts.

import { idParam } from "#contract/envelope.ts";
import { readReschedule, rescheduleRequest } from "#contract/messages/changes.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { recordReply } from "#contract/replies.ts";
import { endpoint } from "#http/endpoint.ts";
import { channelParam, isChannel, isId, unknownChannel } from "#http/path-params.ts";
import { reschedule } from "#messaging/reschedule.ts";
import { waitingReply } from "./cancel.ts";

export const rescheduleMessageRoute = endpoint({
  method: "POST",
  path: "/api/reschedule/{channel}/{id}",
  name: "rescheduleMessage",
  tag: "Lookups",
  summary: "Move a message to another time",
  description:
    "A message can be moved until its transmission starts. Its timeline keeps the time that it had before.",
  family: "api_key",
  right: "send",
  params: { channel: channelParam, id: idParam("The message's id.") },
  body: rescheduleRequest,
  replies: { 200: recordReply },
  problems: [
    "malformed_body",
    "not_found",
    "request_timeout",
    "not_cancellable",
    "body_too_large",
    "unsupported_media_type",
  ],
})(async ({ core, account, body, params: { channel, id } }) => {
  const wish = readReschedule(body.value);
  if (wish.issues !== null) return validationFailed(wish.issues);
  if (!isChannel(channel)) return unknownChannel;
  if (!isId(id)) return problem("not_found");
  return waitingReply(await reschedule(core, account, channel, id, wish.scheduleAt, "the account"), "moved");
});

// Decides a message whose outcome is unknown, for the API key's account.

import { idParam } from "#contract/envelope.ts";
import { type Resolution, readResolve, resolveRequest } from "#contract/messages/changes.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { recordReply } from "#contract/replies.ts";
import { endpoint } from "#http/endpoint.ts";
import { channelParam, isChannel, isId, unknownChannel } from "#http/path-params.ts";
import { type Resolved, resolve } from "#messaging/resolve.ts";

const resolvedMessage = {
  send_again: "The message will be sent again.",
  mark_sent: "The message has been marked as sent.",
  mark_failed: "The message has been marked as failed.",
} as const;

export const resolveMessageRoute = endpoint({
  method: "POST",
  path: "/api/resolve/{channel}/{id}",
  name: "resolveMessage",
  tag: "Lookups",
  summary: "Resolve a message whose outcome is unknown",
  description:
    "A message is `unknown` when it may or may not have been sent. A later report of the provider still counts.",
  family: "api_key",
  right: "send",
  params: { channel: channelParam, id: idParam("The message's id.") },
  body: resolveRequest,
  replies: { 200: recordReply },
  problems: [
    "malformed_body",
    "not_found",
    "request_timeout",
    "not_unknown",
    "conflict",
    "body_too_large",
    "unsupported_media_type",
  ],
})(async ({ core, account, body, params: { channel, id } }) => {
  const decision = readResolve(body.value);
  if (decision.issues !== null) return validationFailed(decision.issues);
  if (!isChannel(channel)) return unknownChannel;
  if (!isId(id)) return problem("not_found");
  const { answer } = decision;
  return resolveReply(await resolve(core, account, channel, id, answer, "the account"), answer);
});

/** Why a message is not sent again. */
export const gatewayGone = "Its gateway has been deleted, so it cannot be sent again.";

/** The reply to a decision about an unknown outcome, for the account and for an operator. */
export function resolveReply(result: Resolved, answer: Resolution) {
  switch (result.kind) {
    case "not_found":
      return problem("not_found");
    case "not_unknown":
      return problem("not_unknown", {
        message: `The message's outcome is known: its status is ${result.status}.`,
      });
    case "gateway_gone":
      return problem("conflict", { message: gatewayGone });
    case "resolved":
      return { message: resolvedMessage[answer], data: result.record };
  }
}

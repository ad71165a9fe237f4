// Decides a message whose outcome is unknown, for an account.

import { idParam } from "#contract/envelope.ts";
import { resolveAccountMessageRequest } from "#contract/manage/messages.ts";
import { recordReply } from "#contract/replies.ts";
import { endpoint } from "#http/endpoint.ts";
import { resolveReply } from "#http/routes/messages/resolve.ts";
import { resolve } from "#messaging/resolve.ts";

export const resolveAccountMessageRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/messages/{message}/resolve",
  name: "resolveAccountMessage",
  tag: "Account messages",
  summary: "Resolve an account's message whose outcome is unknown",
  description:
    "A message is `unknown` when it may or may not have been sent. A later report of the provider still counts.",
  scope: "account",
  params: { message: idParam("The message's id.") },
  body: resolveAccountMessageRequest,
  replies: { 200: recordReply },
  problems: ["not_unknown", "conflict"],
})(async ({ core, account, principal, params: { message }, input }) => {
  const { answer } = input;
  const result = await resolve(core, account, null, message, answer, principal.name);
  return resolveReply(result, answer);
});

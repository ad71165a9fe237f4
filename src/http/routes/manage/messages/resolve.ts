// POST /api/manage/v1/accounts/{account}/messages/{message}/resolve

import { accountFromRow } from "#accounts/authenticate.ts";
import { idParam } from "#contract/envelope.ts";
import { resolveAccountMessageRequest } from "#contract/manage/messages.ts";
import { isProblem, problem } from "#contract/problem.ts";
import { recordReply } from "#contract/replies.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import { accountParam } from "#http/routes/manage/accounts/accounts.ts";
import { resolvedMessage } from "#http/routes/messages/resolve.ts";
import { validate } from "#http/validate.ts";
import { resolve } from "#messaging/resolve.ts";

export const resolveAccountMessageRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/messages/{message}/resolve",
  name: "resolveAccountMessage",
  tag: "Account messages",
  summary: "Resolve an account's message whose outcome is unknown",
  description:
    "A message is `unknown` when it may or may not have been sent. A later report of the provider still counts.",
  family: "manage",
  scope: "account",
  params: { account: accountParam, message: idParam("The message's id.") },
  body: resolveAccountMessageRequest,
  replies: { 200: recordReply },
  problems: ["not_found", "not_unknown"],
})(async ({ core, account, principal, body, params: { message } }) => {
  const asked = validate(resolveAccountMessageRequest, body.value);
  if (isProblem(asked)) return asked;
  if (!isId(message)) return problem("not_found");
  const { answer } = asked.value;
  const result = await resolve(core, accountFromRow(account), null, message, answer, principal.name);
  switch (result.kind) {
    case "not_found":
      return problem("not_found");
    case "not_unknown":
      return problem("not_unknown", {
        message: `The message's outcome is known: its status is ${result.status}.`,
      });
    case "resolved":
      return { status: 200, body: { success: true, message: resolvedMessage[answer], data: result.record } };
  }
});

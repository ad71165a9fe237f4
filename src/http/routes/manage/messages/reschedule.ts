// Moves a message of an account to another time.

import { accountFromRow } from "#accounts/authenticate.ts";
import { rescheduleMessagesRequest } from "#contract/messages/changes.ts";
import { recordReply } from "#contract/replies.ts";
import { endpoint } from "#http/endpoint.ts";
import { waitingReply } from "#http/routes/messages/cancel.ts";
import { reschedule } from "#messaging/reschedule.ts";
import { messageParams } from "./messages.ts";

export const rescheduleAccountMessageRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/messages/{message}/reschedule",
  name: "rescheduleAccountMessage",
  tag: "Account messages",
  summary: "Move an account's message to another time",
  description:
    "A message can be moved until its transmission starts. Its timeline keeps the time that it had before.",
  scope: "account",
  params: messageParams,
  body: rescheduleMessagesRequest,
  replies: { 200: recordReply },
  problems: ["not_cancellable"],
})(async ({ core, account, principal, params: { message: id }, input }) => {
  const { schedule_at: scheduleAt } = input;
  const moved = await reschedule(core, accountFromRow(account), null, id, scheduleAt, principal.name);
  return waitingReply(moved, "moved");
});

// Lists, reads and cancels an account's messages of all channels.

import { idParam } from "#contract/envelope.ts";
import {
  accountMessageReply,
  accountMessagesReply,
  messagesQuery,
  statusesIn,
  type TransmissionRecord,
} from "#contract/manage/messages.ts";
import { validationFailed } from "#contract/problem.ts";
import { recordReply } from "#contract/replies.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { waitingReply } from "#http/routes/messages/cancel.ts";
import { type Attempt, attemptsOf } from "#messaging/attempts.ts";
import { cancel } from "#messaging/lookup.ts";
import { briefRecordOf, recordOf } from "#messaging/record.ts";
import { search, searchDueMessages } from "#messaging/search.ts";
import { readWaiting } from "#messaging/waiting.ts";
import { findMessage } from "#store/messages/lookup.ts";

export const messageParams = { message: idParam("The message's id.") };

const instantOf = (text: string | undefined) => (text === undefined ? null : Date.parse(text));

const flagOf = (text: "true" | "false" | undefined) => (text === undefined ? undefined : text === "true");

export const listAccountMessagesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/messages",
  name: "listAccountMessages",
  tag: "Account messages",
  summary: "List an account's messages",
  description:
    "The list has the messages of one channel or of all. The newest message comes first, or with `order=due` the one that is due soonest.",
  scope: "account",
  query: messagesQuery,
  replies: { 200: accountMessagesReply },
})(async ({ core, account, query }) => {
  const { channel = null, status, gateway = null, recipient = null } = query;
  const { created_from, created_to, due_from, due_to, order, limit, cursor = null } = query;
  const { request: requestId, error, reference } = query;
  const brief = flagOf(query.brief) ?? false;
  const filters = {
    channel,
    statuses: status === undefined ? null : statusesIn(status),
    gateway,
    recipient,
    acceptedFrom: instantOf(created_from),
    acceptedBefore: instantOf(created_to),
    request: requestId,
    test: flagOf(query.test),
    error,
    reference,
    held: flagOf(query.held),
  };
  const range = { from: instantOf(due_from), before: instantOf(due_to) };
  if (order !== "due" && (range.from !== null || range.before !== null))
    return validationFailed([{ path: ["order"], message: "must be `due` for due_from and due_to" }]);
  const page = { limit, cursor, brief };
  const found =
    order === "due"
      ? await searchDueMessages(core.database, account, filters, range, page)
      : await search(core.database, account, filters, page);
  if (found.kind === "invalid") return validationFailed([{ path: [found.field], message: found.message }]);
  const waiting = await readWaiting(core, found.rows);
  return {
    message: "Messages found.",
    data: found.rows.map((row) => (brief ? briefRecordOf : recordOf)(row, waiting(row))),
    next_cursor: found.nextCursor,
    searched_until: isoTime(found.searchedUntil),
  };
});

export const getAccountMessageRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/messages/{message}",
  name: "getAccountMessage",
  tag: "Account messages",
  summary: "Get an account's message",
  description: "The reply has the message's record with its timeline, and what is known of its tries.",
  scope: "account",
  params: messageParams,
  replies: { 200: accountMessageReply },
})(async ({ core, account, params: { message: id } }) => {
  const which = { accountId: account.id, channel: null, id };
  const { message, events } = orNotFound(await core.database.run(findMessage, which));
  const waiting = await readWaiting(core, [message]);
  const attempt = {
    count: message.attempts,
    repeats: message.resends,
    gateway_named: message.gateway_pinned === 1,
    cost: message.cost,
    cost_returned: message.refunded === 1,
    held: message.held_due_at !== null,
  };
  return {
    message: "Message found.",
    data: {
      record: recordOf(message, waiting(message), events),
      attempt,
      attempts: attemptsOf(events, message.identifier).map(shownAttempt),
    },
  };
});

function shownAttempt(attempt: Attempt): TransmissionRecord {
  const { startedAt, endedAt, nextAt, ...rest } = attempt;
  return {
    ...rest,
    started_at: isoTime(startedAt),
    ended_at: isoTime(endedAt),
    next_attempt_at: isoTime(nextAt),
  };
}

export const cancelAccountMessageRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/messages/{message}/cancel",
  name: "cancelAccountMessage",
  tag: "Account messages",
  summary: "Cancel an account's message",
  description: "A message can be cancelled until its transmission starts. Cancelling again changes nothing.",
  scope: "account",
  params: messageParams,
  replies: { 200: recordReply },
  problems: ["not_cancellable"],
})(async ({ core, account, principal, params: { message: id } }) => {
  return waitingReply(await cancel(core, account, null, id, principal.name), "cancelled");
});

// GET …/requests/{request}, POST …/cancel and …/reschedule: the messages that were accepted together, as one thing.

import { accountFromRow } from "#accounts/authenticate.ts";
import { idParam } from "#contract/envelope.ts";
import { accountRequestQuery, accountRequestReply, changedRequestReply } from "#contract/manage/requests.ts";
import { rescheduleMessagesRequest } from "#contract/messages/changes.ts";
import type { Status } from "#contract/messages/channel.ts";
import { isoTime } from "#contract/time.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { changeRequest, findRequestSummary, type RequestSummary } from "#messaging/requests.ts";
import { newTimeOf } from "#messaging/reschedule.ts";
import type { RequestChange } from "#store/messages/requests.ts";
import { estimateOf } from "./estimate.ts";

const path = "/api/manage/v1/accounts/{account}/requests/{request}";
const about = {
  tag: "Account messages",
  scope: "account",
} as const;
const params = { request: idParam("The request's id.") };

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

async function shown(call: ManageAccountCall, summary: RequestSummary, isEstimated = true) {
  const {
    request: { id, channel, created_at },
    parts,
  } = summary;
  const by_status: Partial<Record<Status, number>> = {};
  for (const { status, messages } of parts) by_status[status] = messages;
  const first = parts.flatMap(({ firstDueAt }) => firstDueAt ?? []);
  const last = parts.flatMap(({ lastDueAt }) => lastDueAt ?? []);
  return {
    id,
    channel,
    created_at: isoTime(created_at),
    messages: sum(parts.map(({ messages }) => messages)),
    by_status,
    waiting: (by_status.queued ?? 0) + (by_status.scheduled ?? 0),
    due: first.length === 0 ? null : { first: isoTime(Math.min(...first)), last: isoTime(Math.max(...last)) },
    estimate: isEstimated ? await estimateOf(call, summary) : null,
    cost: sum(parts.map(({ cost }) => cost)),
    cost_returned: sum(parts.map(({ returned }) => returned)),
  };
}

async function change(call: ManageAccountCall, id: string, what: RequestChange, message: string) {
  const { core, account } = call;
  const changed = orNotFound(await changeRequest(core, account, id, what));
  const after = orNotFound(await findRequestSummary(core.database, account, id));
  return { message, data: { changed, request: await shown(call, after) } };
}

export const getAccountRequestRoute = endpoint({
  ...about,
  params,
  method: "GET",
  path,
  name: "getAccountRequest",
  query: accountRequestQuery,
  summary: "Get a request of an account",
  description: "The reply has the messages that were accepted together, summed by status.",
  replies: { 200: accountRequestReply },
})(async (call) => {
  const { core, account, params } = call;
  const found = orNotFound(await findRequestSummary(core.database, account, params.request));
  const data = await shown(call, found, call.query.estimate !== "false");
  return { message: "Request found.", data };
});

export const cancelAccountRequestRoute = endpoint({
  ...about,
  params,
  method: "POST",
  path: `${path}/cancel`,
  name: "cancelAccountRequest",
  summary: "Cancel what waits of a request",
  description:
    "Cancels every message of the request whose transmission has not started. Asking again changes nothing that was done.",
  replies: { 200: changedRequestReply },
})(async (call) => {
  const { core, principal, params } = call;
  const details = { at: core.clock.now(), detail: `Cancelled by ${principal.name}.` };
  return change(call, params.request, { kind: "cancel", details }, "The request has been cancelled.");
});

export const rescheduleAccountRequestRoute = endpoint({
  ...about,
  params,
  method: "POST",
  path: `${path}/reschedule`,
  name: "rescheduleAccountRequest",
  summary: "Move what waits of a request to another time",
  description: "Moves every message of the request whose transmission has not started to the same time.",
  body: rescheduleMessagesRequest,
  replies: { 200: changedRequestReply },
})(async (call) => {
  const { core, account, principal, params, input } = call;
  const to = newTimeOf(accountFromRow(account), input.schedule_at, core.clock.now(), principal.name);
  return change(call, params.request, { kind: "reschedule", to }, "The request has been moved.");
});

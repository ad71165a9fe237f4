// The deliveries of a webhook endpoint: lists and reads them, replays one or all that failed, retries those that wait, and posts a test event.

import { idParam } from "#contract/envelope.ts";
import {
  type DeliveryRecord,
  type DeliveryTryRecord,
  deliveriesQuery,
  deliveriesReply,
  deliveryDueReply,
  deliveryReply,
  failedQuery,
  failedReply,
  replayReply,
  replayRequest,
  retriesReply,
  retryReply,
} from "#contract/manage/webhooks.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import type { DeliveryAttempt } from "#store/webhooks/deliveries.ts";
import {
  countFailed,
  type DeliveryCursor,
  type DeliveryRow,
  findDelivery,
} from "#store/webhooks/delivery-log.ts";
import { findAccountEndpoint } from "#store/webhooks/endpoints.ts";
import { replaySince, replaySingle, retriesOf, retryWaiting, sendTestEvent } from "#webhooks/replay.ts";
import { searchDeliveries } from "#webhooks/search.ts";
import { sentHeaders } from "#webhooks/sent-headers.ts";
import { webhookParams } from "./webhooks.ts";

const tag = "Webhooks";
const deliveryParams = { ...webhookParams, event: idParam("The event's id.") };

const shownTry = (line: DeliveryAttempt): DeliveryTryRecord => ({ ...line, at: isoTime(line.at) });

const logOf = (row: DeliveryRow) => (JSON.parse(row.log) as DeliveryAttempt[]).map(shownTry);

/** A delivery as lists show it. */
export const deliverySummary = (row: DeliveryRow): DeliveryRecord => ({
  ...shown(row),
  last_try: logOf(row).at(-1) ?? null,
});

function shown(row: DeliveryRow): Omit<DeliveryRecord, "last_try"> {
  return {
    id: row.event_id,
    type: row.type,
    message: row.message,
    timestamp: isoTime(row.at),
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: isoTime(row.due_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** A cursor is the position of a page's last delivery: it reveals nothing beyond the page. */
const cursorOf = ({ createdAt, eventId }: DeliveryCursor) => `${createdAt}.${eventId}`;

const epochOf = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));

function placeOf(cursor: string): DeliveryCursor | null {
  const [, createdAt, eventId] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(cursor) ?? [];
  return createdAt === undefined || eventId === undefined ? null : { createdAt: Number(createdAt), eventId };
}

const switchedOff = () =>
  problem("conflict", { message: "The endpoint is switched off, so nothing is posted to it." });

export const listDeliveriesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/deliveries",
  name: "listDeliveries",
  tag,
  summary: "List the deliveries of a webhook endpoint",
  description: "The newest delivery comes first.",
  scope: "account",
  params: webhookParams,
  query: deliveriesQuery,
  replies: { 200: deliveriesReply },
})(async ({ core, account, params: { webhook }, query }) => {
  const { status, event: type, created_from, created_to, limit, cursor } = query;
  const before = cursor === undefined ? null : placeOf(cursor);
  if (cursor !== undefined && before === null)
    return validationFailed([{ path: ["cursor"], message: "is not a cursor" }]);
  const whose = { accountId: account.id, endpointId: webhook };
  const filter = { status, type, from: epochOf(created_from), to: epochOf(created_to) };
  const found = orNotFound(await searchDeliveries(core.database, whose, filter, { limit, before }));
  const { rows, next } = found;
  return {
    message: "Deliveries found.",
    data: rows.map(deliverySummary),
    next_cursor: next && cursorOf(next),
    searched_until: next && isoTime(next.createdAt),
  };
});

export const getDeliveryRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/deliveries/{event}",
  name: "getDelivery",
  tag,
  summary: "Get a delivery",
  description: "The reply has what was posted, headers and body, and the log of the tries.",
  scope: "account",
  params: deliveryParams,
  replies: { 200: deliveryReply },
})(async ({ core, account, params: { webhook, event } }) => {
  const input = { accountId: account.id, endpointId: webhook, eventId: event };
  const row = orNotFound(await core.database.run(findDelivery, input));
  const of = orNotFound(await core.database.run(findAccountEndpoint, { accountId: account.id, id: webhook }));
  const log = logOf(row);
  const last = log.at(-1);
  const posted = { id: event, body: row.body };
  const headers = last === undefined ? null : sentHeaders(core.sealer, of, posted, Date.parse(last.at));
  return { message: "Delivery found.", data: { ...shown(row), body: row.body, headers, log } };
});

export const replayDeliveryRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/deliveries/{event}/replay",
  name: "replayDelivery",
  tag,
  summary: "Replay a delivery",
  description:
    "The event is posted again at once, with all tries, in every status of the delivery. The `webhook-id` stays the same, so a receiver can recognise the event.",
  scope: "account",
  params: deliveryParams,
  replies: { 200: deliveryDueReply },
  problems: ["conflict"],
})(async ({ core, account, params: { webhook, event } }) => {
  const whose = { accountId: account.id, endpointId: webhook };
  const result = await replaySingle(core, whose, event);
  if (result === "not_found") return problem("not_found");
  if (result === "inactive") return switchedOff();
  return { message: "The event is being posted again.", data: { id: event } };
});

export const replayFailedDeliveriesRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/replay",
  name: "replayFailedDeliveries",
  tag,
  summary: "Replay all failed deliveries since a time",
  scope: "account",
  params: webhookParams,
  body: replayRequest,
  replies: { 200: replayReply },
  problems: ["conflict"],
})(async ({ core, account, params: { webhook }, input }) => {
  const whose = { accountId: account.id, endpointId: webhook };
  const result = await replaySince(core, whose, Date.parse(input.since));
  if (result.kind === "not_found") return problem("not_found");
  if (result.kind === "inactive") return switchedOff();
  const data = { replayed: result.count, more: result.more };
  return { message: "The failed deliveries are being posted again.", data };
});

export const countFailedDeliveriesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/replay",
  name: "countFailedDeliveries",
  tag,
  summary: "Count the failed deliveries since a time",
  description: "They are the ones that a replay since then posts again.",
  scope: "account",
  params: webhookParams,
  query: failedQuery,
  replies: { 200: failedReply },
})(async ({ core, account, params: { webhook }, query }) => {
  const since = query.since === undefined ? 0 : Date.parse(query.since);
  const input = { accountId: account.id, endpointId: webhook, since };
  const data = orNotFound(await core.database.run(countFailed, input));
  return { message: "Failed deliveries counted.", data };
});

export const getWebhookRetriesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/retry",
  name: "getWebhookRetries",
  tag,
  summary: "Get what waits for its next try",
  description:
    "How many deliveries of the endpoint wait for their next try, when the first is due, and how the latest try ended.",
  scope: "account",
  params: webhookParams,
  replies: { 200: retriesReply },
})(async ({ core, account, params: { webhook } }) => {
  const whose = { accountId: account.id, endpointId: webhook };
  const { count, more, nextAt, lastTry } = orNotFound(await retriesOf(core, whose));
  const last_try = lastTry === null ? null : shownTry(lastTry);
  return {
    message: "Waiting deliveries counted.",
    data: { count, more, next_attempt_at: isoTime(nextAt), last_try },
  };
});

export const retryDeliveriesRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/retry",
  name: "retryDeliveries",
  tag,
  summary: "Post what waits for its next try now",
  description:
    "For an endpoint that works again: the deliveries that wait for their next try are due at once, instead of after up to 10 hours. It is their next try, so it counts as one of the eight. Deliveries that have failed are not retried; replay them.",
  scope: "account",
  params: webhookParams,
  replies: { 200: retryReply },
  problems: ["conflict"],
})(async ({ core, account, params: { webhook } }) => {
  const whose = { accountId: account.id, endpointId: webhook };
  const result = await retryWaiting(core, whose);
  if (result.kind === "not_found") return problem("not_found");
  if (result.kind === "inactive") return switchedOff();
  const data = { retried: result.count, more: result.more };
  return { message: "The waiting deliveries are being posted.", data };
});

export const testWebhookRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/test",
  name: "testWebhook",
  tag,
  summary: "Send a test event to a webhook endpoint",
  description:
    "An event of the type `webhook.test` is posted to this endpoint alone, even when its patterns do not match. It is signed and retried like any other event. Its delivery shows the result.",
  scope: "account",
  params: webhookParams,
  replies: { 200: deliveryDueReply },
  problems: ["conflict"],
})(async ({ core, account, params: { webhook } }) => {
  const whose = { accountId: account.id, endpointId: webhook };
  const result = await sendTestEvent(core, whose);
  if (result.kind === "not_found") return problem("not_found");
  if (result.kind === "inactive") return switchedOff();
  if (result.kind === "status_callbacks")
    return problem("conflict", { message: "It posts the statuses of messages to their own URLs alone." });
  return { message: "A test event is being posted.", data: { id: result.id } };
});

// GET /api/manage/v1/accounts/{account}/webhooks/{webhook}/deliveries, …/deliveries/{event};
// POST …/deliveries/{event}/replay, …/replay, …/test

import {
  type DeliveryRecord,
  type DeliveryTryRecord,
  deliveriesQuery,
  deliveriesReply,
  deliveryDueReply,
  deliveryReply,
  replayReply,
  replayRequest,
} from "#contract/manage/webhooks.ts";
import { isProblem, problem, validationFailed } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import { queryOf } from "#http/request.ts";
import { validate, validateQuery } from "#http/validate.ts";
import type { DeliveryTry } from "#store/webhooks/deliveries.ts";
import {
  type DeliveryPlace,
  type DeliveryRow,
  findDelivery,
  listDeliveries,
} from "#store/webhooks/delivery-log.ts";
import { replaySince, replaySingle, sendTestEvent } from "#webhooks/replay.ts";
import { webhookParams } from "./webhooks.ts";

const tag = "Management: webhooks";
const deliveryParams = { ...webhookParams, event: "The event's id." };

const iso = (at: number) => new Date(at).toISOString();

const shownTry = (line: DeliveryTry): DeliveryTryRecord => ({ ...line, at: iso(line.at) });

const logOf = (row: DeliveryRow) => (JSON.parse(row.log) as DeliveryTry[]).map(shownTry);

function shown(row: DeliveryRow): Omit<DeliveryRecord, "last_try"> {
  return {
    id: row.event_id,
    type: row.type,
    timestamp: iso(row.at),
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: row.due_at === null ? null : iso(row.due_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** A cursor is the place of a page's last delivery: it says nothing that the page did not. */
const cursorOf = (row: DeliveryRow) => `${row.created_at}.${row.event_id}`;

function placeOf(cursor: string): DeliveryPlace | null {
  const [, createdAt, eventId] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(cursor) ?? [];
  return createdAt === undefined || eventId === undefined ? null : { createdAt: Number(createdAt), eventId };
}

const switchedOff = () =>
  problem("conflict", { message: "The endpoint is switched off: nothing is posted to it." });

export const listDeliveriesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/deliveries",
  name: "manageListWebhookDeliveries",
  tag,
  summary: "List a webhook endpoint's deliveries",
  description: "Newest first, a page at a time.",
  family: "manage",
  scope: "account",
  params: webhookParams,
  query: deliveriesQuery,
  replies: { 200: deliveriesReply },
  problems: ["not_found"],
})(async ({ core, account, request, params: { webhook } }) => {
  if (!isId(webhook)) return problem("not_found");
  const query = validateQuery(deliveriesQuery, queryOf(request));
  if (isProblem(query)) return query;
  const { status = null, limit, cursor } = query.value;
  const before = cursor === undefined ? null : placeOf(cursor);
  if (cursor !== undefined && before === null)
    return validationFailed([{ path: ["cursor"], message: "is none that was given out" }]);
  const rows = await core.database.run(listDeliveries, {
    accountId: account.id,
    endpointId: webhook,
    status,
    before,
    limit: limit + 1,
  });
  if (rows === null) return problem("not_found");
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    status: 200,
    body: {
      success: true,
      message: "Deliveries found.",
      data: page.map((row) => ({ ...shown(row), last_try: logOf(row).at(-1) ?? null })),
      next_cursor: rows.length > limit && last ? cursorOf(last) : null,
    },
  };
});

export const getDeliveryRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/deliveries/{event}",
  name: "manageGetWebhookDelivery",
  tag,
  summary: "Look up a delivery",
  description: "With what is posted, and the log of its tries.",
  family: "manage",
  scope: "account",
  params: deliveryParams,
  replies: { 200: deliveryReply },
  problems: ["not_found"],
})(async ({ core, account, params: { webhook, event } }) => {
  if (!isId(webhook) || !isId(event)) return problem("not_found");
  const asked = { accountId: account.id, endpointId: webhook, eventId: event };
  const row = await core.database.run(findDelivery, asked);
  if (row === null) return problem("not_found");
  const data = { ...shown(row), body: row.body, log: logOf(row) };
  return { status: 200, body: { success: true, message: "Delivery found.", data } };
});

export const replayDeliveryRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/deliveries/{event}/replay",
  name: "manageReplayWebhookDelivery",
  tag,
  summary: "Post an event again",
  description:
    "Now, with all its tries before it, whatever became of it. Under the same `webhook-id`, so a receiver that took it can tell.",
  family: "manage",
  scope: "account",
  params: deliveryParams,
  replies: { 200: deliveryDueReply },
  problems: ["not_found", "conflict"],
})(async ({ core, account, params: { webhook, event } }) => {
  if (!isId(webhook) || !isId(event)) return problem("not_found");
  const whose = { accountId: account.id, endpointId: webhook };
  const result = await replaySingle(core, whose, event);
  if (result === "not_found") return problem("not_found");
  if (result === "inactive") return switchedOff();
  const data = { id: event };
  return { status: 200, body: { success: true, message: "The event is posted again.", data } };
});

export const replayFailedDeliveriesRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/replay",
  name: "manageReplayWebhookDeliveries",
  tag,
  summary: "Post all failed events since a time again",
  family: "manage",
  scope: "account",
  params: webhookParams,
  body: replayRequest,
  replies: { 200: replayReply },
  problems: ["not_found", "conflict"],
})(async ({ core, account, body, params: { webhook } }) => {
  const asked = validate(replayRequest, body.value);
  if (isProblem(asked)) return asked;
  if (!isId(webhook)) return problem("not_found");
  const whose = { accountId: account.id, endpointId: webhook };
  const result = await replaySince(core, whose, Date.parse(asked.value.since));
  if (result.kind === "not_found") return problem("not_found");
  if (result.kind === "inactive") return switchedOff();
  const data = { replayed: result.count, more: result.more };
  return { status: 200, body: { success: true, message: "Failed events are posted again.", data } };
});

export const testWebhookRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/test",
  name: "manageTestWebhook",
  tag,
  summary: "Try a webhook endpoint out",
  description:
    "Posts an event of the type `webhook.test` to this endpoint alone, whatever it asks for, signed and repeated like any other. Its delivery says what became of it.",
  family: "manage",
  scope: "account",
  params: webhookParams,
  replies: { 200: deliveryDueReply },
  problems: ["not_found", "conflict"],
})(async ({ core, account, params: { webhook } }) => {
  if (!isId(webhook)) return problem("not_found");
  const whose = { accountId: account.id, endpointId: webhook };
  const result = await sendTestEvent(core, whose);
  if (result.kind === "not_found") return problem("not_found");
  if (result.kind === "inactive") return switchedOff();
  const data = { id: result.id };
  return { status: 200, body: { success: true, message: "A test event is posted.", data } };
});

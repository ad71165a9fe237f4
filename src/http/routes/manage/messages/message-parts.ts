// Data of one message besides its record: the webhook deliveries of its events, and an HTML mail as a page and as text.

import { z } from "zod";
import { messageDeliveriesReply } from "#contract/manage/messages.ts";
import type { Core } from "#core/core.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { deliverySummary } from "#http/routes/manage/webhooks/deliveries.ts";
import { isHtml, textOfHtml } from "#messaging/email/html-text.ts";
import { findMessage } from "#store/messages/lookup.ts";
import { listMessageDeliveries } from "#store/webhooks/delivery-log.ts";
import { messageParams } from "./messages.ts";

const about = {
  method: "GET",
  tag: "Account messages",
  scope: "account",
  params: messageParams,
} as const;

const htmlType = "text/html; charset=utf-8";
const textType = "text/plain; charset=utf-8";

/** A message has about ten events and an account at most 50 endpoints. */
const maxDeliveries = 500;

export const listMessageDeliveriesRoute = endpoint({
  ...about,
  path: "/api/manage/v1/accounts/{account}/messages/{message}/deliveries",
  name: "listMessageDeliveries",
  summary: "List the webhook deliveries of a message",
  description:
    "The deliveries of the message's events to every endpoint, in the order of the events. An event that no endpoint subscribes to has none, and webhook events are kept for a time.",
  replies: { 200: messageDeliveriesReply },
})(async ({ core, account, params: { message: id } }) => {
  const message = { accountId: account.id, channel: null, id };
  orNotFound(await core.database.run(findMessage, message));
  const rows = await core.database.run(listMessageDeliveries, {
    accountId: account.id,
    messageId: id,
    limit: maxDeliveries,
  });
  const data = rows.map((row) => ({ ...deliverySummary(row), webhook: row.endpoint_id }));
  return { message: "Deliveries found.", data, next_cursor: null };
});

/** The HTML of an email. Throws the problem `not_found` for a message without HTML. */
async function htmlOf({ database }: Pick<Core, "database">, accountId: string, id: string): Promise<string> {
  const { message } = orNotFound(await database.run(findMessage, { accountId, channel: "email", id }));
  return orNotFound(isHtml(message.body) ? message.body : null);
}

/**
 * Nothing in a mail may run, load external resources or act on behalf of its reader: it is a document without an origin, only in a frame of
 * the dashboard.
 */
const policy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'";

export const getMessageHtmlRoute = endpoint({
  ...about,
  path: "/api/manage/v1/accounts/{account}/messages/{message}/html",
  name: "getMessageHtml",
  summary: "Get the HTML of an email",
  description:
    "The mail as a page that runs no script and loads nothing from other hosts, to be shown in a frame. 404 for a message without HTML.",
  replies: { 200: z.string().meta({ description: "The page." }) },
  replyType: htmlType,
})(async ({ core, account, params: { message: id } }) => {
  const headers = { "Content-Security-Policy": policy };
  return { status: 200, body: await htmlOf(core, account.id, id), type: htmlType, headers };
});

export const getMessageTextRoute = endpoint({
  ...about,
  path: "/api/manage/v1/accounts/{account}/messages/{message}/text",
  name: "getMessageText",
  summary: "Get the text of an HTML email",
  description:
    "What a reader without HTML sees: the text part that the mail has beside its HTML. 404 for a message without HTML.",
  replies: { 200: z.string().meta({ description: "The text." }) },
  replyType: textType,
})(async ({ core, account, params: { message: id } }) => {
  return { status: 200, body: textOfHtml(await htmlOf(core, account.id, id)), type: textType };
});

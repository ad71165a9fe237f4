// Lists, adds and removes the recipients to whom an account sends nothing.

import { z } from "zod";
import {
  createdSuppressionsReply,
  createSuppressionsRequest,
  releasedSuppressionsReply,
  releaseSuppressionsRequest,
  type SuppressionRecord,
  suppressionsQuery,
  suppressionsReply,
} from "#contract/manage/consent.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { deleted, noContent } from "#contract/replies.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { channelParam } from "#http/path-params.ts";
import { release, releaseAll, suppress, suppressions } from "#messaging/suppressions.ts";
import type { SuppressionsTable } from "#store/schema/schema.ts";

const tag = "Suppressions";
const recipientParam = z
  .string()
  .min(1)
  .max(320)
  .describe("The recipient as the list shows it, percent-encoded.");

const shown = ({ channel, recipient, reason, note, created_at }: SuppressionsTable): SuppressionRecord => ({
  channel,
  recipient,
  reason,
  note,
  created_at: isoTime(created_at),
});

export const listSuppressionsRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/suppressions",
  name: "listSuppressions",
  tag,
  summary: "List the suppressed recipients",
  scope: "account",
  query: suppressionsQuery,
  replies: { 200: suppressionsReply },
})(async ({ core, account, query }) => {
  const { channel = null, recipient = null, limit, cursor = null } = query;
  const page = await suppressions(core.database, account, { channel, recipient, limit, cursor });
  if (page === null) return validationFailed([{ path: ["cursor"], message: "is not a cursor" }]);
  return { message: "Suppressions found.", data: page.suppressions.map(shown), next_cursor: page.nextCursor };
});

export const createSuppressionsRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/suppressions",
  name: "createSuppressions",
  tag,
  summary: "Suppress recipients",
  description:
    "Messages that wait for a suppressed recipient become `suppressed` when they are due. An opt-in word does not remove these entries.",
  scope: "account",
  body: createSuppressionsRequest,
  replies: { 201: createdSuppressionsReply },
})(async ({ core, account, input }) => {
  const { channel, recipients, note = null } = input;
  const result = await suppress(core, account, { channel, recipients, note });
  if (result.kind === "invalid") return validationFailed(result.issues);
  const data = { added: result.added, recipients: result.recipients };
  return { message: "The recipients are on the list.", data };
});

export const deleteSuppressionRoute = endpoint({
  method: "DELETE",
  path: "/api/manage/v1/accounts/{account}/suppressions/{channel}/{recipient}",
  name: "deleteSuppression",
  tag,
  summary: "Remove a recipient from the suppression list",
  description: "The reason of the entry does not matter. Messages that were suppressed stay suppressed.",
  scope: "account",
  params: {
    channel: channelParam,
    recipient: recipientParam,
  },
  replies: { 204: noContent },
})(async ({ core, account, params: { channel, recipient } }) => {
  const removed = await release(core.database, account, channel, recipient);
  if (!removed) return problem("not_found");
  return deleted;
});

export const releaseSuppressionsRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/suppressions/release",
  name: "releaseSuppressions",
  tag,
  summary: "Remove recipients that were suppressed by mistake",
  description:
    "Takes every entry of one reason off the list that was made within a time: after a day with a broken SPF record, say. Messages that were suppressed stay suppressed.",
  scope: "account",
  body: releaseSuppressionsRequest,
  replies: { 200: releasedSuppressionsReply },
})(async ({ core, account, input }) => {
  const { from, to, note = null, ...which } = input;
  const range = { from: Date.parse(from), to: Date.parse(to) };
  if (range.to <= range.from) return validationFailed([{ path: ["to"], message: "is not behind from" }]);
  const removed = await releaseAll(core.database, account, { ...which, note, ...range });
  return { message: "The recipients are off the list.", data: { removed } };
});

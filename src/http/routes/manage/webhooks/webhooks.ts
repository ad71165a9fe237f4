// GET and POST /api/manage/v1/accounts/{account}/webhooks; GET, PATCH and DELETE …/webhooks/{webhook};
// POST …/webhooks/{webhook}/rotate-secret

import {
  createWebhook,
  removeWebhook,
  rotateSigningSecret,
  type SaveWebhookResult,
  updateWebhook,
  webhookChanges,
  webhookInput,
} from "#configure/webhook.ts";
import { idParam } from "#contract/envelope.ts";
import {
  newWebhookReply,
  rotatedWebhookReply,
  type WebhookRecord,
  webhookReply,
  webhooksReply,
} from "#contract/manage/webhooks.ts";
import { isProblem, type Problem, problem } from "#contract/problem.ts";
import { deleted, noContent } from "#contract/replies.ts";
import type { Core } from "#core/core.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import { created } from "#http/reply/created.ts";
import { refused } from "#http/reply/refused.ts";
import { validate } from "#http/validate.ts";
import type { WebhookEndpointsTable } from "#store/schema/schema.ts";
import { findAccountEndpoint, listEndpoints } from "#store/webhooks/endpoints.ts";
import { openUrl, shownUrl } from "#webhooks/endpoint-url.ts";

const tag = "Webhooks";
const account = idParam("The account's id.");
export const webhookParams = { account, webhook: idParam("The endpoint's id.") };

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function shown({ clock, sealer }: Pick<Core, "clock" | "sealer">, row: WebhookEndpointsTable): WebhookRecord {
  const now = clock.now();
  const { old_secret, old_secret_until } = row;
  return {
    id: row.id,
    url: shownUrl(openUrl(sealer, row)),
    events: JSON.parse(row.events) as string[],
    active: row.active === 1,
    failing_since: iso(row.failing_since),
    disabled_at: iso(row.disabled_at),
    disabled_reason: row.disabled_reason,
    old_secret_until: old_secret === null || now >= (old_secret_until ?? 0) ? null : iso(old_secret_until),
    revision: row.revision,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** The account's endpoint with this id as it is now, or null. */
async function find(
  core: Pick<Core, "clock" | "database" | "sealer">,
  accountId: string,
  id: string | undefined,
): Promise<WebhookRecord | null> {
  if (!isId(id)) return null;
  const row = await core.database.run(findAccountEndpoint, { accountId, id });
  return row && shown(core, row);
}

/** The saved endpoint, with its secret if it was generated, or the reason why it was not saved. */
async function saved(
  core: Pick<Core, "clock" | "database" | "sealer">,
  accountId: string,
  result: SaveWebhookResult,
): Promise<(WebhookRecord & { secret: string | null }) | Problem> {
  if (result.kind !== "saved") return refused(result);
  const record = await find(core, accountId, result.id);
  if (record === null) return problem("not_found");
  return { ...record, secret: result.secret };
}

export const listWebhooksRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/webhooks",
  name: "listWebhooks",
  tag,
  summary: "List webhook endpoints",
  description: "An account has at most 50 endpoints. The oldest endpoint comes first.",
  family: "manage",
  scope: "account",
  params: { account },
  replies: { 200: webhooksReply },
  problems: ["not_found"],
})(async ({ core, account }) => {
  const rows = await core.database.run(listEndpoints, account.id);
  return {
    status: 200,
    body: {
      success: true,
      message: "Webhook endpoints found.",
      data: rows.map((row) => shown(core, row)),
      next_cursor: null,
    },
  };
});

export const createWebhookRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks",
  name: "createWebhook",
  tag,
  summary: "Create a webhook endpoint",
  description:
    "Events are posted as `{ type, timestamp, data }` and signed by the Standard Webhooks scheme. A delivery is tried up to 8 times over about 28 hours, until the endpoint answers with a 2xx within 15 s.",
  family: "manage",
  scope: "account",
  params: { account },
  body: webhookInput.meta({ id: "CreateWebhookRequest" }),
  replies: { 201: newWebhookReply },
  problems: ["not_found"],
})(async ({ core, account, body }) => {
  const input = validate(webhookInput, body.value);
  if (isProblem(input)) return input;
  const result = await createWebhook(core, account.id, input.value);
  const data = await saved(core, account.id, result);
  if (isProblem(data)) return data;
  return created(`/api/manage/v1/accounts/${account.id}/webhooks/${data.id}`, {
    success: true,
    message: "The webhook endpoint has been created.",
    data,
  });
});

export const getWebhookRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}",
  name: "getWebhook",
  tag,
  summary: "Get a webhook endpoint",
  family: "manage",
  scope: "account",
  params: webhookParams,
  replies: { 200: webhookReply },
  problems: ["not_found"],
})(async ({ core, account, params: { webhook } }) => {
  const data = await find(core, account.id, webhook);
  if (data === null) return problem("not_found");
  return { status: 200, body: { success: true, message: "Webhook endpoint found.", data } };
});

export const updateWebhookRoute = endpoint({
  method: "PATCH",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}",
  name: "updateWebhook",
  tag,
  summary: "Update a webhook endpoint",
  description:
    "Only the fields of the request change. An endpoint that was disabled because of its failures is enabled by another `url` or by `active: true`. A `url` that is sent back as it is shown, with its mask, stays unchanged. Failed deliveries can be replayed.",
  family: "manage",
  scope: "account",
  params: webhookParams,
  body: webhookChanges.meta({ id: "UpdateWebhookRequest" }),
  replies: { 200: webhookReply },
  problems: ["not_found", "conflict"],
})(async ({ core, account, body, params: { webhook } }) => {
  const input = validate(webhookChanges, body.value);
  if (isProblem(input)) return input;
  if (!isId(webhook)) return problem("not_found");
  const result = await updateWebhook(core, account.id, webhook, input.value);
  const answer = await saved(core, account.id, result);
  if (isProblem(answer)) return answer;
  const { secret: _, ...data } = answer;
  return { status: 200, body: { success: true, message: "The webhook endpoint has been updated.", data } };
});

export const deleteWebhookRoute = endpoint({
  method: "DELETE",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}",
  name: "deleteWebhook",
  tag,
  summary: "Delete a webhook endpoint",
  description: "The log of the deliveries is deleted too. Waiting events are not posted.",
  family: "manage",
  scope: "account",
  params: webhookParams,
  replies: { 204: noContent },
  problems: ["not_found"],
})(async ({ core, account, params: { webhook } }) => {
  if (!isId(webhook)) return problem("not_found");
  const removed = await removeWebhook(core, account.id, webhook);
  if (!removed) return problem("not_found");
  return deleted;
});

export const rotateWebhookSecretRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/rotate-secret",
  name: "rotateWebhookSecret",
  tag,
  summary: "Rotate the secret of a webhook endpoint",
  description:
    "Only this reply shows the new secret. For 24 h every event has two signatures, one by each secret.",
  family: "manage",
  scope: "account",
  params: webhookParams,
  replies: { 200: rotatedWebhookReply },
  problems: ["not_found"],
})(async ({ core, account, params: { webhook } }) => {
  if (!isId(webhook)) return problem("not_found");
  const data = await saved(core, account.id, await rotateSigningSecret(core, account.id, webhook));
  if (isProblem(data)) return data;
  return { status: 200, body: { success: true, message: "The webhook endpoint has a new secret.", data } };
});

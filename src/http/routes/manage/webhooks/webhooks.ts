// The webhook endpoints of an account, and new secrets of them.

import {
  createWebhook,
  removeWebhook,
  rotateSigningSecret,
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
import { isoTime } from "#contract/time.ts";
import type { Core } from "#core/core.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { refused } from "#http/reply/refused.ts";
import { type ManagedCall, manageRoutes } from "#http/routes/manage/manage-routes.ts";
import type { WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import { findAccountEndpoint, listEndpoints } from "#store/webhooks/endpoints.ts";
import { endpointName, openUrl, shownUrl } from "#webhooks/endpoint-url.ts";

const tag = "Webhooks";
export const webhookParams = { webhook: idParam("The endpoint's id.") };

function shown({ clock, sealer }: Pick<Core, "clock" | "sealer">, row: WebhookEndpointsTable): WebhookRecord {
  const now = clock.now();
  const { old_secret, old_secret_until } = row;
  return {
    id: row.id,
    name: endpointName(sealer, row),
    url: shownUrl(openUrl(sealer, row)),
    events: JSON.parse(row.events) as string[],
    active: row.active === 1,
    failing_since: isoTime(row.failing_since),
    disabled_at: isoTime(row.disabled_at),
    disabled_reason: row.disabled_reason,
    old_secret_until:
      old_secret === null || now >= (old_secret_until ?? 0) ? null : isoTime(old_secret_until),
    revision: row.revision,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** The account's endpoint with this id as it is now, or null. */
async function find({ core, account }: ManagedCall, id: string): Promise<WebhookRecord | null> {
  const row = await core.database.run(findAccountEndpoint, { accountId: account.id, id });
  return row && shown(core, row);
}

export const webhookRoutes = manageRoutes({
  tag,
  operations: ["Webhook", "Webhooks"],
  nouns: ["webhook endpoint", "webhook endpoints"],
  path: "/api/manage/v1/accounts/{account}/webhooks",
  param: ["webhook", webhookParams.webhook],
  replies: { one: webhookReply, many: webhooksReply, created: newWebhookReply },
  list: {
    summary: "List webhook endpoints",
    description: "An account has at most 50 endpoints. The oldest endpoint comes first.",
    run: async ({ core, account }) => {
      const rows = await core.database.run(listEndpoints, account.id);
      return { data: rows.map((row) => shown(core, row)), next_cursor: null };
    },
  },
  create: {
    summary: "Create a webhook endpoint",
    description:
      "Events are posted as `{ type, timestamp, data }` and signed by the Standard Webhooks scheme. A delivery is tried up to 8 times over about 28 hours, until the endpoint answers with a 2xx within 15 s.",
    body: webhookInput.meta({ id: "CreateWebhookRequest" }),
    run: async ({ core, account }, input) => {
      const saved = await createWebhook(core, account.id, input);
      return saved.kind === "saved" ? { ...saved, issued: { secret: saved.secret } } : saved;
    },
  },
  get: { summary: "Get a webhook endpoint", run: find },
  update: {
    summary: "Update a webhook endpoint",
    description:
      "Only the fields of the request change. An endpoint that was disabled because of its failures is enabled by another `url` or by `active: true`. A `url` that is sent back as it is shown, with its mask, stays unchanged. Failed deliveries can be replayed.",
    body: webhookChanges.meta({ id: "UpdateWebhookRequest" }),
    run: ({ core, account }, id, changes) => updateWebhook(core, account.id, id, changes),
  },
  delete: {
    summary: "Delete a webhook endpoint",
    description: "The log of the deliveries is deleted too. Waiting events are not posted.",
    run: ({ core, account }, id) => removeWebhook(core, account.id, id),
  },
});

export const rotateWebhookSecretRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/webhooks/{webhook}/rotate-secret",
  name: "rotateWebhookSecret",
  tag,
  summary: "Rotate the secret of a webhook endpoint",
  description:
    "Only this reply shows the new secret. For 24 h every event has two signatures, one by each secret.",
  scope: "account",
  params: webhookParams,
  replies: { 200: rotatedWebhookReply },
})(async (call) => {
  const saved = await rotateSigningSecret(call.core, call.account.id, call.params.webhook);
  if (saved.kind !== "saved") return refused(saved);
  const record = orNotFound(await find(call, saved.id));
  const data = { ...record, secret: saved.secret };
  return { message: "The webhook endpoint has a new secret.", data };
});

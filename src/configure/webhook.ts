// Creates and changes webhook endpoints, for the provisioning file and the management API: the same checks and messages.
// Secrets are sealed before they are stored; only a generated secret is returned, once.

import { z } from "zod";
import { seenRevision } from "#contract/envelope.ts";
import type { Issue } from "#contract/issue.ts";
import { eventTypes, isEventPattern } from "#contract/messages/events.ts";
import { nameText } from "#contract/name.ts";
import { patchSchema } from "#contract/resource-schema.ts";
import type { Core } from "#core/core.ts";
import type { Outbound } from "#runtime/runtime.ts";
import { changeRow, type Overtaken, retryOvertaken } from "#store/revision.ts";
import type { WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import type { Sealer } from "#store/seal.ts";
import {
  changeEndpoint,
  createEndpoint,
  type EndpointChange,
  endpointSecretContext,
  findAccountEndpoint,
  findEndpointByUrl,
  type NewEndpoint,
  removeEndpoint,
} from "#store/webhooks/endpoints.ts";
import { isMasked, isShownForm, openUrl, sealUrl, urlHash } from "#webhooks/endpoint-url.ts";
import { failPendingDeliveries } from "#webhooks/fail-pending.ts";
import { isSigningSecret, newSigningSecret, oldSecretMs } from "#webhooks/sign.ts";
import { changedElsewhere, type Refusal, taken } from "./changes.ts";
import type { ConfigureDeps } from "./resource.ts";

export const maxEndpoints = 50;
const removeBatchSize = 1000;

const events = z
  .array(
    z
      .string()
      .refine(
        isEventPattern,
        "asks for no event; patterns are `*`, a type such as message.sent, or a family such as message.*",
      ),
  )
  .min(1)
  .max(50);

export const webhookInput = z.strictObject({
  name: nameText(1, 60)
    .nullable()
    .optional()
    .describe("What the dashboard calls it. Without a name, or with null, that is the host of its `url`."),
  url: nameText(1, 2000).describe(
    "Where events are posted. An account has one endpoint for a url; redirects are not followed. It is stored sealed, and shown without its query: a key belongs into the query.",
  ),
  secret: z
    .string()
    .refine(isSigningSecret, "must be `whsec_` and 24 to 64 bytes in base64")
    .optional()
    .describe(
      "Signs what is posted, by the Standard Webhooks scheme: `whsec_` and 24 to 64 bytes in base64. Without it, one is generated and shown once. If it replaces another one, that one also signs for 24 h.",
    ),
  events: events
    .default(["message.*"])
    .describe(
      `The events that it receives: \`*\`, families such as \`message.*\`, or types (${eventTypes.join(", ")}).`,
    ),
  active: z
    .boolean()
    .optional()
    .describe(
      "`false` switches it off: it receives nothing, and its pending deliveries are stopped. `true` also enables one that was disabled because of its failures.",
    ),
});
type WebhookInput = z.output<typeof webhookInput>;

/** The PATCH body of an endpoint. An absent field stays as it is. */
export const webhookChanges = patchSchema(webhookInput).extend({ revision: seenRevision });
type WebhookChanges = z.output<typeof webhookChanges>;

type WebhookDeps = ConfigureDeps & Pick<Core, "random">;

export type SaveWebhookResult =
  /** `secret`: the generated one; null if the caller sent one, or it did not change. */
  { kind: "saved"; id: string; secret: string | null } | Refusal;

export const tooManyEndpoints: Issue = {
  path: ["url"],
  message: `is one too many: an account has ${maxEndpoints} endpoints at most`,
};

const maskedUrl = "is masked, and not the stored url as it is shown: send the whole url";

/** The issues of an endpoint, with paths inside it. */
export function webhookIssues(outbound: Outbound, { url }: { url?: string | undefined }): Issue[] {
  if (url !== undefined && isMasked(url)) return [{ path: ["url"], message: maskedUrl }];
  const reason = url === undefined ? null : outbound.rejectReason(url);
  return reason === null ? [] : [{ path: ["url"], message: reason }];
}

/** Creates an endpoint. An account has at most one per URL. */
export async function createWebhook(
  deps: WebhookDeps,
  accountId: string,
  input: WebhookInput,
): Promise<SaveWebhookResult> {
  return (await create(deps, accountId, input)) ?? taken("url");
}

/** Null if the account has an endpoint with this url. */
async function create(
  deps: WebhookDeps,
  accountId: string,
  input: WebhookInput,
): Promise<SaveWebhookResult | null> {
  const issues = webhookIssues(deps.outbound, input);
  if (issues.length > 0) return { kind: "invalid", issues };
  const { made, ...row } = newWebhook(deps, accountId, input);
  const created = await deps.database.run(createEndpoint, row);
  if (created.kind === "url_taken") return null;
  if (created.kind === "too_many") return { kind: "invalid", issues: [tooManyEndpoints] };
  return { kind: "saved", id: row.endpoint.id, secret: made };
}

/** A new endpoint to store, and its secret if it was generated (`made`). Stores nothing. */
function newWebhook(
  deps: WebhookDeps,
  accountId: string,
  input: WebhookInput,
): NewEndpoint & { made: string | null } {
  const generated = input.secret === undefined ? newSigningSecret(deps.random) : null;
  const endpoint = endpointRow(deps, accountId, {
    ...input,
    format: null,
    secret: generated ?? input.secret!,
  });
  return { endpoint, maxEndpoints, made: generated };
}

/** The row of a new endpoint. */
export function endpointRow(
  { clock, sealer, newId }: WebhookDeps,
  accountId: string,
  {
    name = null,
    url,
    events,
    active,
    format,
    secret,
  }: WebhookInput & {
    secret: string;
    format: WebhookEndpointsTable["format"];
  },
): WebhookEndpointsTable {
  const id = newId("whe");
  const now = clock.now();
  const { sealed, hash } = sealUrl(sealer, id, url);
  return {
    id,
    account_id: accountId,
    name,
    url: sealed,
    url_hash: hash,
    events: JSON.stringify(events),
    active: active === false ? 0 : 1,
    format,
    secret: sealer.seal(secret, endpointSecretContext(id)),
    old_secret: null,
    old_secret_until: null,
    failing_since: null,
    disabled_at: null,
    disabled_reason: null,
    revision: 1,
    created_at: now,
    updated_at: now,
  };
}

/** A new endpoint of the provisioning file to store; null if the account already has one with this url. Stores nothing. */
export async function prepareWebhook(
  deps: WebhookDeps,
  accountId: string,
  input: WebhookInput,
): Promise<(NewEndpoint & { made: string | null }) | null> {
  const existing = await deps.database.run(findEndpointByUrl, {
    accountId,
    urlHash: urlHash(deps.sealer, input.url),
  });
  return existing ? null : newWebhook(deps, accountId, input);
}

/** Creates the account's endpoint with this url, or changes it to match the provisioning file. */
export async function upsertWebhook(
  deps: WebhookDeps,
  accountId: string,
  input: WebhookInput,
): Promise<Extract<SaveWebhookResult, { kind: "saved" | "invalid" }>> {
  const hash = urlHash(deps.sealer, input.url);
  const result = await retryOvertaken(async () => {
    const existing = await deps.database.run(findEndpointByUrl, { accountId, urlHash: hash });
    const saved = existing
      ? await updateWebhook(deps, accountId, existing.id, input)
      : await create(deps, accountId, input);
    // Created, moved or deleted since it was looked up.
    return saved?.kind === "saved" || saved?.kind === "invalid" ? saved : "overtaken";
  });
  return result.kind === "overtaken" ? changedElsewhere("url") : result;
}

/** Changes the fields of `changes`; the others stay, and so does the URL when it is sent back as it is shown. */
export async function updateWebhook(
  deps: WebhookDeps,
  accountId: string,
  id: string,
  { revision, ...changes }: WebhookChanges,
): Promise<SaveWebhookResult> {
  const { url } = changes;
  const shown = url !== undefined && isMasked(url);
  const issues = webhookIssues(deps.outbound, shown ? {} : changes);
  if (issues.length > 0) return { kind: "invalid", issues };
  const read = () => deps.database.run(findAccountEndpoint, { accountId, id });
  return await changeRow(revision, read, async (before): Promise<SaveWebhookResult | Overtaken> => {
    if (shown && !isShownForm(url, openUrl(deps.sealer, before))) return taken("url", maskedUrl);
    const change: EndpointChange = {};
    if (changes.name !== undefined) change.name = changes.name;
    if (url !== undefined && !shown) change.url = sealUrl(deps.sealer, id, url);
    if (changes.events !== undefined) change.events = JSON.stringify(changes.events);
    if (changes.active !== undefined) change.active = changes.active;
    // An equal secret replaces nothing: otherwise the previous one would stop signing.
    if (changes.secret !== undefined && changes.secret !== openSecret(deps.sealer, before))
      change.secret = sealedSecret(deps, id, changes.secret);
    const result = await store(deps, accountId, { id, revision: before.revision }, change, null);
    return result.kind === "overtaken" ? "overtaken" : result;
  });
}

/** Generates a new secret and returns it; the previous one also signs for 24 h. */
export async function rotateSigningSecret(
  deps: WebhookDeps,
  accountId: string,
  id: string,
): Promise<SaveWebhookResult> {
  const secret = newSigningSecret(deps.random);
  const change = { secret: sealedSecret(deps, id, secret) };
  return await store(deps, accountId, { id, revision: null }, change, secret);
}

/** Removes an endpoint with its pending deliveries and its log. False if the account has no such endpoint. */
export async function removeWebhook(deps: WebhookDeps, accountId: string, id: string): Promise<boolean> {
  for (;;) {
    const removed = await deps.database.run(removeEndpoint, { accountId, id, limit: removeBatchSize });
    if (removed === "not_found") return false;
    // Switched off first: events recorded in the meantime would leave deliveries without an endpoint.
    if (removed === "active") await store(deps, accountId, { id, revision: null }, { active: false }, null);
    if (removed === "removed") return true;
  }
}

/** `revision`: that of the endpoint from which the change was computed; null if it depends on nothing that was read. */
async function store(
  deps: WebhookDeps,
  accountId: string,
  { id, revision }: { id: string; revision: number | null },
  change: EndpointChange,
  made: string | null,
): Promise<SaveWebhookResult> {
  const at = deps.clock.now();
  const result = await deps.database.run(changeEndpoint, { accountId, id, revision, at, change });
  if (result.kind === "url_taken") return taken("url");
  if (result.kind === "fixed")
    return {
      kind: "conflict",
      message: "This endpoint posts status callbacks: it can only be named, switched off and on, or deleted.",
    };
  if (result.kind !== "changed") return result;
  if (result.endpoint.active === 0) await failPendingDeliveries(deps, id, result.endpoint.disabled_reason);
  return { kind: "saved", id, secret: made };
}

const sealedSecret = (deps: WebhookDeps, id: string, secret: string) => ({
  sealed: deps.sealer.seal(secret, endpointSecretContext(id)),
  oldUntil: deps.clock.now() + oldSecretMs,
});

/** Null if the secret cannot be unsealed, so any new one replaces it. */
function openSecret(sealer: Sealer, { id, secret }: WebhookEndpointsTable): string | null {
  try {
    return sealer.unseal(secret, endpointSecretContext(id));
  } catch {
    return null;
  }
}

// Creates and changes webhook endpoints, for the provisioning file and the management API: the same checks, the
// same wording. Secrets are sealed before they are stored, and leave again only when they were made here.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { eventTypes, isEventPattern } from "#contract/messages/events.ts";
import { nameText } from "#contract/name.ts";
import type { Core } from "#core/core.ts";
import type { Outbound } from "#runtime/runtime.ts";
import type { WebhookEndpointsTable } from "#store/schema/schema.ts";
import type { Sealer } from "#store/seal.ts";
import {
  changeEndpoint,
  createEndpoint,
  type EndpointChange,
  findAccountEndpoint,
  findEndpointByUrl,
  type NewEndpoint,
  removeEndpoint,
  secretPlace,
} from "#store/webhooks/endpoints.ts";
import { isSigningSecret, newSigningSecret } from "#webhooks/sign.ts";
import { failPendingDeliveries } from "#webhooks/stop-waiting.ts";
import { patchSchema } from "./changes.ts";
import type { ConfigureParts } from "./gateway.ts";

/** Most endpoints of an account. */
const most = 50;
/** How long a secret that was replaced signs as well. */
const oldSecretMs = 24 * 3_600_000;
const removedAtOnce = 1000;

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
  url: nameText(1, 2000).describe(
    "Where events are posted. An account has one endpoint for a url; redirects are not followed.",
  ),
  secret: z
    .string()
    .refine(isSigningSecret, "must be `whsec_` and 24 to 64 bytes in base64")
    .optional()
    .describe(
      "Signs what is posted, by the Standard Webhooks scheme: `whsec_` and 24 to 64 bytes in base64. Without one it is made, and shown once. One that takes another's place: that one signs as well for 24 h.",
    ),
  events: events
    .default(["message.*"])
    .describe(`What it is told: \`*\`, families such as \`message.*\`, or types (${eventTypes.join(", ")}).`),
  active: z
    .boolean()
    .optional()
    .describe(
      "`false` switches it off: it is told nothing, and what waits for it is stopped. `true` also enables one that was disabled because of its failures.",
    ),
});
export type WebhookInput = z.output<typeof webhookInput>;

/** What of an endpoint may be changed; absent stays as it is. */
export const webhookChanges = patchSchema(webhookInput);
export type WebhookChanges = z.output<typeof webhookChanges>;

export type WebhookParts = ConfigureParts & Pick<Core, "random">;

export type SaveWebhookResult =
  /** `secret`: the one that was made here; null: it was given, or is as it was. */
  | { kind: "saved"; id: string; secret: string | null }
  | { kind: "invalid"; issues: Issue[] }
  /** The account has another endpoint with this url. */
  | { kind: "taken" }
  | { kind: "not_found" };

export const tooManyEndpoints: Issue = {
  path: ["url"],
  message: `is one too many: an account has ${most} endpoints at most`,
};

/** Faults of an endpoint, with paths inside it; none: it may be saved. */
export function webhookIssues(outbound: Outbound, { url }: { url?: string | undefined }): Issue[] {
  const refusal = url === undefined ? null : outbound.rejectReason(url);
  return refusal === null ? [] : [{ path: ["url"], message: refusal }];
}

/** One spelling for the same address, so that one endpoint is not told twice. */
const spelled = (url: string) => URL.parse(url)?.href ?? url;

/** Creates an endpoint; one that the account already has is `taken`. */
export async function createWebhook(
  parts: WebhookParts,
  accountId: string,
  input: WebhookInput,
): Promise<SaveWebhookResult> {
  const issues = webhookIssues(parts.outbound, input);
  if (issues.length > 0) return { kind: "invalid", issues };
  const { made, ...row } = newWebhook(parts, accountId, input);
  const created = await parts.database.run(createEndpoint, row);
  if (created.kind === "url_taken") return { kind: "taken" };
  if (created.kind === "too_many") return { kind: "invalid", issues: [tooManyEndpoints] };
  parts.signals.emit("lanesChanged");
  return { kind: "saved", id: row.endpoint.id, secret: made };
}

/** A new endpoint as it is to be stored, and its secret where that was made here. Stores nothing. */
function newWebhook(
  parts: WebhookParts,
  accountId: string,
  input: WebhookInput,
): NewEndpoint & { made: string | null } {
  const { clock, sealer } = parts;
  const id = parts.newId("whe");
  const made = input.secret === undefined ? newSigningSecret(parts.random) : null;
  const now = clock.now();
  const endpoint: WebhookEndpointsTable = {
    id,
    account_id: accountId,
    url: spelled(input.url),
    events: JSON.stringify(input.events),
    active: input.active === false ? 0 : 1,
    secret: sealer.seal(made ?? input.secret!, secretPlace(id)),
    old_secret: null,
    old_secret_until: null,
    failing_since: null,
    disabled_at: null,
    disabled_reason: null,
    created_at: now,
    updated_at: now,
  };
  return { endpoint, most, made };
}

/**
 * An endpoint of the provisioning file that is new to the account, as it is to be stored; null: the account has one with
 * this url. Stores nothing.
 */
export async function prepareWebhook(
  parts: WebhookParts,
  accountId: string,
  input: WebhookInput,
): Promise<(NewEndpoint & { made: string | null }) | null> {
  const existing = await parts.database.run(findEndpointByUrl, { accountId, url: spelled(input.url) });
  return existing ? null : newWebhook(parts, accountId, input);
}

/** Creates the account's endpoint with this url, or changes it, as the provisioning file wants it. */
export async function upsertWebhook(
  parts: WebhookParts,
  accountId: string,
  input: WebhookInput,
): Promise<SaveWebhookResult> {
  const url = spelled(input.url);
  const existing = await parts.database.run(findEndpointByUrl, { accountId, url });
  if (existing) return await updateWebhook(parts, accountId, existing.id, input);
  return await createWebhook(parts, accountId, input);
}

/** Changes what is given of an endpoint. */
export async function updateWebhook(
  parts: WebhookParts,
  accountId: string,
  id: string,
  changes: WebhookChanges,
): Promise<SaveWebhookResult> {
  const issues = webhookIssues(parts.outbound, changes);
  if (issues.length > 0) return { kind: "invalid", issues };
  const before = await parts.database.run(findAccountEndpoint, { accountId, id });
  if (!before) return { kind: "not_found" };
  const change: EndpointChange = {};
  if (changes.url !== undefined) change.url = spelled(changes.url);
  if (changes.events !== undefined) change.events = JSON.stringify(changes.events);
  if (changes.active !== undefined) change.active = changes.active;
  // The same one again replaces nothing: the one before it would stop working.
  if (changes.secret !== undefined && changes.secret !== openSecret(parts.sealer, before))
    change.secret = sealedSecret(parts, id, changes.secret);
  return await changed(parts, accountId, id, change, null);
}

/** Gives an endpoint a new secret, which is returned; the one before it signs as well for 24 h. */
export async function rotateSigningSecret(
  parts: WebhookParts,
  accountId: string,
  id: string,
): Promise<SaveWebhookResult> {
  const secret = newSigningSecret(parts.random);
  return await changed(parts, accountId, id, { secret: sealedSecret(parts, id, secret) }, secret);
}

/** Removes an endpoint with its log; what waits for it is not posted any more. False: the account has none. */
export async function removeWebhook(parts: WebhookParts, accountId: string, id: string): Promise<boolean> {
  for (;;) {
    const removed = await parts.database.run(removeEndpoint, { accountId, id, limit: removedAtOnce });
    if (removed === "not_found") return false;
    // Switched off first: what is told meanwhile would be orphaned.
    if (removed === "active") await changed(parts, accountId, id, { active: false }, null);
    if (removed === "removed") {
      parts.signals.emit("lanesChanged");
      return true;
    }
  }
}

async function changed(
  parts: WebhookParts,
  accountId: string,
  id: string,
  change: EndpointChange,
  made: string | null,
): Promise<SaveWebhookResult> {
  const at = parts.clock.now();
  const result = await parts.database.run(changeEndpoint, { accountId, id, at, change });
  if (result.kind === "not_found") return result;
  if (result.kind === "url_taken") return { kind: "taken" };
  parts.signals.emit("lanesChanged");
  if (result.endpoint.active === 0) await failPendingDeliveries(parts, id, result.endpoint.disabled_reason);
  return { kind: "saved", id, secret: made };
}

const sealedSecret = (parts: WebhookParts, id: string, secret: string) => ({
  sealed: parts.sealer.seal(secret, secretPlace(id)),
  oldUntil: parts.clock.now() + oldSecretMs,
});

/** Null: it does not open, so any other takes its place. */
function openSecret(sealer: Sealer, { id, secret }: WebhookEndpointsTable): string | null {
  try {
    return sealer.open(secret, secretPlace(id));
  } catch {
    return null;
  }
}

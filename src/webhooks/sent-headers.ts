// The headers with which a delivery was posted. They are computed: what a try sent follows from its event, its time and the endpoint's
// secrets, so nothing of it is stored with the delivery.

import type { WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import type { Sealer } from "#store/seal.ts";
import { endpointSecretContext } from "#store/webhooks/endpoints.ts";
import { oldSecretMs, signedHeaders, userAgent } from "./sign.ts";

/** The secrets that signed a try at `at` (epoch ms); none if the current one is newer than the try. */
function secretsAt(
  sealer: Sealer,
  { id, secret, old_secret, old_secret_until: until }: WebhookEndpointsTable,
  at: number,
): string[] {
  if (until !== null && at < until - oldSecretMs) return [];
  const sealed = until !== null && at < until ? [secret, old_secret] : [secret];
  try {
    return sealed.flatMap((text) => (text === null ? [] : sealer.unseal(text, endpointSecretContext(id))));
  } catch {
    return [];
  }
}

/**
 * The headers of a delivery's try at `at` (epoch ms), without a signature if it can no longer be computed. Null for an endpoint that
 * posts status callbacks, whose signatures are made with the keys of messages.
 */
export function sentHeaders(
  sealer: Sealer,
  endpoint: WebhookEndpointsTable,
  { id, body }: { id: string; body: string },
  at: number,
): Record<string, string> | null {
  if (endpoint.format !== null) return null;
  const secrets = secretsAt(sealer, endpoint, at);
  const { "webhook-signature": signature, ...headers } = signedHeaders(secrets, id, at, body);
  return {
    "user-agent": userAgent,
    ...headers,
    ...(secrets.length === 0 ? {} : { "webhook-signature": signature }),
  };
}

// The endpoint of an account that posts status callbacks. It is made with the first message that has one: people who send through Twilio's
// API have no endpoint to set up. There is one for all URLs of an account, because an application may give each message a URL of its own.

import { postedStatuses } from "#contract/twilio/statuses.ts";
import type { Core } from "#core/core.ts";
import { createEndpoint, endpointSecretContext, findEndpointByUrl } from "#store/webhooks/endpoints.ts";
import { sealUrl, statusCallbackUrl, urlHash } from "#webhooks/endpoint-url.ts";
import { newSigningSecret } from "#webhooks/sign.ts";
import type { ConfigureDeps } from "./resource.ts";
import { maxEndpoints } from "./webhook.ts";

/** Makes the endpoint unless the account has it. One that was switched off stays off, and posts nothing. */
export async function openStatusCallbacks(
  deps: ConfigureDeps & Pick<Core, "random">,
  accountId: string,
): Promise<void> {
  const { database, sealer, clock } = deps;
  const known = await database.run(findEndpointByUrl, {
    accountId,
    urlHash: urlHash(sealer, statusCallbackUrl),
  });
  if (known !== null) return;
  const id = deps.newId("whe");
  const { sealed, hash } = sealUrl(sealer, id, statusCallbackUrl);
  const now = clock.now();
  const endpoint = {
    id,
    account_id: accountId,
    url: sealed,
    url_hash: hash,
    events: JSON.stringify(postedStatuses.map((status) => `message.${status}`)),
    active: 1 as const,
    format: "twilio" as const,
    // It signs nothing: a callback is signed by the token of the key that sent the message.
    secret: sealer.seal(newSigningSecret(deps.random), endpointSecretContext(id)),
    old_secret: null,
    old_secret_until: null,
    failing_since: null,
    disabled_at: null,
    disabled_reason: null,
    revision: 1,
    created_at: now,
    updated_at: now,
  };
  // One more than people may set up, so that it always fits. Of two calls at once, one makes it.
  await database.run(createEndpoint, { endpoint, maxEndpoints: maxEndpoints + 1 });
}

// The endpoint of an account that posts status callbacks. It is made with the first message that has one: people who send through Twilio's
// API have no endpoint to set up. There is one for all URLs of an account, because an application may give each message a URL of its own.

import { postedStatuses } from "#contract/twilio/statuses.ts";
import type { Core } from "#core/core.ts";
import { createEndpoint, findEndpointByUrl } from "#store/webhooks/endpoints.ts";
import { statusCallbackUrl, urlHash } from "#webhooks/endpoint-url.ts";
import { newSigningSecret } from "#webhooks/sign.ts";
import type { ConfigureDeps } from "./resource.ts";
import { endpointRow, maxEndpoints } from "./webhook.ts";

/** Makes the endpoint unless the account has it. One that was switched off stays off, and posts nothing. */
export async function openStatusCallbacks(
  deps: ConfigureDeps & Pick<Core, "random">,
  accountId: string,
): Promise<void> {
  const { database, sealer } = deps;
  const known = await database.run(findEndpointByUrl, {
    accountId,
    urlHash: urlHash(sealer, statusCallbackUrl),
  });
  if (known !== null) return;
  const endpoint = endpointRow(deps, accountId, {
    url: statusCallbackUrl,
    events: postedStatuses.map((status) => `message.${status}`),
    format: "twilio",
    // It signs nothing: a callback is signed by the token of the key that sent the message.
    secret: newSigningSecret(deps.random),
  });
  // One more than people may set up, so that it always fits. Of two calls at once, one makes it.
  await database.run(createEndpoint, { endpoint, maxEndpoints: maxEndpoints + 1 });
}

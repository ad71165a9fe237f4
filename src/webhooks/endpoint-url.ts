// The URL of a webhook endpoint. Many receivers take a key in the query, so the URL is sealed at rest and shown without its query.

import { mask } from "#settings/secrets.ts";
import type { WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import type { Sealer } from "#store/seal.ts";
import { endpointUrlContext } from "#store/webhooks/endpoints.ts";

/** The URL of the endpoint that posts status callbacks: each message has its own. */
export const statusCallbackUrl = "StatusCallback";

/** One spelling for equal URLs, so that an account has one endpoint for each. */
const normaliseUrl = (url: string) => URL.parse(url)?.href ?? url;

/** The hash that finds a URL in any of its spellings. */
export const urlHash = (sealer: Sealer, url: string): string =>
  sealer.digest(`webhook url ${normaliseUrl(url)}`);

/** A URL as it is stored in the endpoint's row. */
export const sealUrl = (sealer: Sealer, id: string, url: string): { sealed: string; hash: string } => ({
  sealed: sealer.seal(normaliseUrl(url), endpointUrlContext(id)),
  hash: urlHash(sealer, url),
});

/** The URL of an endpoint; null if it cannot be unsealed. */
export function openUrl(
  sealer: Sealer,
  { id, url }: Pick<WebhookEndpointsTable, "id" | "url">,
): string | null {
  try {
    return sealer.unseal(url, endpointUrlContext(id));
  } catch {
    return null;
  }
}

/** A URL as it may be shown: its origin and path, with a mask in place of the rest. If the URL is null, only the mask. */
export function shownUrl(url: string | null): string {
  if (url === statusCallbackUrl) return url;
  const parsed = url === null ? null : URL.parse(url);
  if (parsed === null) return mask;
  const { origin, pathname, search, hash } = parsed;
  return `${origin}${pathname}${search === "" && hash === "" ? "" : `?${mask}`}`;
}

/** What an endpoint is called: its own name, or the host of its URL. The path may contain a key of the receiver. */
export function endpointName(
  sealer: Sealer,
  endpoint: Pick<WebhookEndpointsTable, "id" | "name" | "url">,
): string {
  if (endpoint.name !== null) return endpoint.name;
  const url = openUrl(sealer, endpoint);
  return url === statusCallbackUrl ? url : (URL.parse(url ?? "")?.host ?? endpoint.id);
}

/** Whether a URL contains the mask, verbatim or as browsers and libraries encode it. */
export const isMasked = (url: string): boolean =>
  url.includes(mask) || url.toUpperCase().includes(encodeURIComponent(mask));

/** Whether this is what `shownUrl` returns for the stored URL, and so means that URL. */
export const isShownForm = (requested: string, stored: string | null): boolean =>
  isMasked(requested) && normaliseUrl(requested) === normaliseUrl(shownUrl(stored));

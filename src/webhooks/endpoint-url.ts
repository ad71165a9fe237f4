// The URL of a webhook endpoint: many a receiver takes a key in its query, so it is sealed at rest, and shown without the query.

import { mask } from "#settings/secrets.ts";
import type { WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import type { Sealer } from "#store/seal.ts";
import { endpointUrlContext } from "#store/webhooks/endpoints.ts";

/** One spelling for equal URLs, so that an account has one endpoint for each. */
const normaliseUrl = (url: string) => URL.parse(url)?.href ?? url;

/** What a URL is found by, in any of its spellings. */
export const urlHash = (sealer: Sealer, url: string): string =>
  sealer.digest(`webhook url ${normaliseUrl(url)}`);

/** A URL as the row of the endpoint stores it. */
export const sealUrl = (sealer: Sealer, id: string, url: string): { sealed: string; hash: string } => ({
  sealed: sealer.seal(normaliseUrl(url), endpointUrlContext(id)),
  hash: urlHash(sealer, url),
});

/** The URL of an endpoint; null: it cannot be unsealed. */
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

/** A URL as it may be shown: its origin and path, and the mask for what follows. Null, which cannot be shown, is the mask alone. */
export function shownUrl(url: string | null): string {
  const parsed = url === null ? null : URL.parse(url);
  if (parsed === null) return mask;
  const { origin, pathname, search, hash } = parsed;
  return `${origin}${pathname}${search === "" && hash === "" ? "" : `?${mask}`}`;
}

/** Whether a URL holds the mask, as it is or as browsers and libraries write it in a URL. */
export const isMasked = (url: string): boolean =>
  url.includes(mask) || url.toUpperCase().includes(encodeURIComponent(mask));

/** Whether this is what `shownUrl` shows of the stored URL, so that it stands for that one. */
export const isShownForm = (requested: string, stored: string | null): boolean =>
  isMasked(requested) && normaliseUrl(requested) === normaliseUrl(shownUrl(stored));

// Whether a request that changes something comes from our own pages. A browser says so itself: by Sec-Fetch-Site,
// which pages cannot set, or, where it is too old or the connection too plain for that, by Origin.

import type { IncomingMessage } from "node:http";

/** `yes`, `no`, or `unsaid`: neither header came, so it is no browser, or a very old one. */
type SameSite = "yes" | "no" | "unsaid";

/**
 * The address to open instead, for a request of our own page at another address than the public one: by IP address, or over plain
 * HTTP. Null: that is not why the request was refused.
 */
export function rightAddress(
  request: IncomingMessage,
  publicUrl: string | null,
  host: string,
): string | null {
  const origin = request.headers.origin ?? "";
  if (publicUrl === null || !URL.canParse(origin)) return null;
  const page = new URL(origin);
  const isOurPage = page.host === host.toLowerCase();
  return isOurPage && page.origin !== new URL(publicUrl).origin ? publicUrl : null;
}

/** `host`: what the client asked for, for an installation whose public address is not configured. */
export function sameSite(request: IncomingMessage, publicUrl: string | null, host: string): SameSite {
  const site = request.headers["sec-fetch-site"];
  // `none`: typed in, or from a bookmark; no page asks.
  if (site !== undefined) return site === "same-origin" || site === "none" ? "yes" : "no";
  const { origin } = request.headers;
  if (origin === undefined) return "unsaid";
  if (!URL.canParse(origin)) return "no";
  const page = new URL(origin);
  const ours =
    publicUrl === null ? page.host === host.toLowerCase() : page.origin === new URL(publicUrl).origin;
  return ours ? "yes" : "no";
}

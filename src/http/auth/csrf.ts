// Whether a request that changes something comes from our own pages. The browser reports it: with Sec-Fetch-Site, which pages cannot set,
// or, if the browser is too old or the connection is not secure, with Origin.

import type { IncomingMessage } from "node:http";

/** `yes`, `no`, or `unsaid`: neither header was sent, so it is not a browser, or a very old one. */
type SameSite = "yes" | "no" | "unsaid";

/**
 * The address to open instead, for a request of our own page at an address other than the public one: by IP address, or over plain HTTP.
 * Null if that is not why the request was refused.
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

/** `host`: the host that the client requested, for an installation without a configured public address. */
export function sameSite(request: IncomingMessage, publicUrl: string | null, host: string): SameSite {
  const site = request.headers["sec-fetch-site"];
  // `none`: typed in, or from a bookmark; no page sent the request.
  if (site !== undefined) return site === "same-origin" || site === "none" ? "yes" : "no";
  const { origin } = request.headers;
  if (origin === undefined) return "unsaid";
  if (!URL.canParse(origin)) return "no";
  const page = new URL(origin);
  const ours =
    publicUrl === null ? page.host === host.toLowerCase() : page.origin === new URL(publicUrl).origin;
  return ours ? "yes" : "no";
}

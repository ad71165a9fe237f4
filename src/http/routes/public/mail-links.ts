// The targets of links in mails: the pixel at /t/o, clicks at /t/c, and unsubscribing at /u. Recipients and their mail
// programs request them, so the OpenAPI document leaves them out. They set no cookies and reveal nothing.

import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Call } from "#http/call.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { unsubscribePages, unsubscribePolicy } from "#http/pages/unsubscribe.ts";

/** A transparent GIF of one pixel: https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
const pixel = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

const pixelHeaders = {
  "Cache-Control": "no-store, no-cache, must-revalidate, max-age=0",
  // Web mail may require that images allow embedding on other sites.
  "Cross-Origin-Resource-Policy": "cross-origin",
};

/** The same answer for any token. */
const shown = { status: 200, body: pixel, type: "image/gif", headers: pixelHeaders } as const;

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

const visitorOf = ({ request, caller }: Call) => ({
  userAgent: headerOf(request, "user-agent"),
  ip: caller.ip,
  purpose: headerOf(request, "sec-purpose") ?? headerOf(request, "purpose") ?? headerOf(request, "x-moz"),
});

const html = "text/html; charset=utf-8";

function page<const Status extends number>(status: Status, body: string) {
  return { status, body, type: html, headers: { "Content-Security-Policy": unsubscribePolicy } };
}

const shared = {
  tag: "Mail links",
  family: "open",
  notFound: page(404, unsubscribePages.invalid),
  unavailable: page(503, unsubscribePages.later),
} as const;

const open = endpoint({
  ...shared,
  method: "GET",
  path: "/t/o/{token}",
  name: "openMail",
  summary: "The pixel of a mail",
  wildcard: "token",
  notFound: shown,
  replies: { 200: z.instanceof(Uint8Array) },
})(async (call) => {
  // A HEAD request displays no pixel, so it does not count as an opening.
  if (call.request.method === "GET")
    call.core.openAndClickTracking.open(call.params.token ?? "", visitorOf(call));
  return shown;
});

const follow = endpoint({
  ...shared,
  method: "GET",
  path: "/t/c/{token}",
  name: "followLink",
  summary: "A link of a mail, on its way to where it leads",
  wildcard: "token",
  replies: { 302: z.string(), 404: z.string() },
})(async (call) => {
  const counted = call.request.method === "GET";
  const target = call.core.openAndClickTracking.click(call.params.token ?? "", visitorOf(call), counted);
  if (target === null) return page(404, unsubscribePages.invalid);
  return { status: 302, body: "", headers: { Location: target, "Referrer-Policy": "no-referrer" } };
});

const ask = endpoint({
  ...shared,
  method: "GET",
  path: "/u/{token}",
  name: "askUnsubscribe",
  summary: "The page that unsubscribes",
  wildcard: "token",
  replies: { 200: z.string(), 404: z.string() },
})(async ({ core, params }) =>
  core.openAndClickTracking.canUnsubscribe(params.token ?? "")
    ? page(200, unsubscribePages.ask)
    : page(404, unsubscribePages.invalid),
);

const act = endpoint({
  ...shared,
  method: "POST",
  path: "/u/{token}",
  name: "unsubscribe",
  summary: "Unsubscribe, by one click (RFC 8058) or by the page's button",
  wildcard: "token",
  replies: { 200: z.string(), 404: z.string() },
  // The body and its media type do not matter: every POST here unsubscribes.
})(async ({ core, params }) =>
  (await core.openAndClickTracking.unsubscribe(params.token ?? ""))
    ? page(200, unsubscribePages.done)
    : page(404, unsubscribePages.invalid),
);

/** Listed next to the described endpoints, like the pages of `docs.ts`. */
export const mailLinkEndpoints: readonly Endpoint[] = [open, follow, ask, act];

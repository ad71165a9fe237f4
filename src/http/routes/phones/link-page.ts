// GET /link/{page}: the page that shows a person on a phone how to link it.

import { z } from "zod";
import type { Call } from "#http/call.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { linkPage, linkPageOver, linkPagePolicy } from "#http/pages/link-phone.ts";
import { findLinkPage } from "#phones/link.ts";
import { phonePath, withThrottle } from "./phone-call.ts";

function page<const Status extends number>(status: Status, body: string) {
  const headers = { "Content-Security-Policy": linkPagePolicy, "Referrer-Policy": "no-referrer" };
  return { status, body, type: "text/html; charset=utf-8", headers };
}

const over = page(404, linkPageOver);

async function show(call: Call) {
  const { publicUrl } = call.settings;
  const found = await withThrottle(call, call.params.page ?? "", (shown) => findLinkPage(call.core, shown));
  if (!("token" in found) || publicUrl === null) return over;
  const { token, code, expiresAt } = found;
  return page(200, linkPage({ apiUrl: `${publicUrl}${phonePath}`, token, code, expiresAt }));
}

export const linkPageEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "GET",
    path: "/link/{page}",
    name: "showLinkPage",
    tag: "Phones",
    summary: "How to link a phone",
    family: "open",
    params: { page: z.string().max(100) },
    notFound: over,
    replies: { 200: z.string(), 404: z.string() },
    replyType: "text/html",
  })(show),
];

// The link between a gateway and a device: GET, POST and DELETE …/gateways/{gateway}/link; POST …/link/resume; GET
// …/link/events.

import { askForLink, type Link, readLink } from "#configure/link.ts";
import { type LinkData, linkEvents, linkReply, linkRequest } from "#contract/manage/links.ts";
import { isProblem, type Problem, problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { LinkRequest } from "#gateways/session.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { qrSvg } from "#http/reply/qr-svg.ts";
import { type EventSource, eventStreamHeaders } from "#http/reply/sse.ts";
import { validate } from "#http/validate.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { gatewayParams } from "./gateways.ts";

const path = "/api/manage/v1/accounts/{account}/gateways/{gateway}/link";
const about = { tag: "Gateways", family: "manage", scope: "account", params: gatewayParams } as const;

/** How often a stream of events looks for a change, and how long it lasts, ms. */
const lookMs = 1_000;
const streamMs = 600_000;

/** The account's gateway of the path, if its kind links a device; every other one is not found. */
async function findLinked({ core, account, params }: ManageAccountCall): Promise<GatewaysTable | null> {
  const gateway = await core.database.run(findGatewayByIdentifier, params.gateway ?? "");
  if (gateway?.account_id !== account.id) return null;
  return findAdapter(gateway.kind, gateway.channel)?.connection === "linked" ? gateway : null;
}

/** `isAsker`: may see the code. */
function dataOf(link: Link, isAsker: boolean): LinkData {
  const { state, method, reason, warnings, device, limitedUntil, library, linkedAt } = link;
  const pairing = isAsker ? link.pairing : null;
  const expires_at = isoTime(pairing?.expiresAt ?? 0);
  return {
    state,
    method,
    reason,
    warnings: [...warnings],
    url: null,
    qr: pairing?.qr === undefined ? null : { text: pairing.qr, svg: qrSvg(pairing.qr), expires_at },
    code: pairing?.code === undefined ? null : { text: pairing.code, expires_at },
    device: device && {
      id: null,
      ...device,
      version: null,
      battery: null,
      linked_at: linkedAt === null ? null : isoTime(linkedAt),
      seen_at: null,
    },
    limited_until: limitedUntil === null ? null : isoTime(limitedUntil),
    library,
  };
}

async function shownLink({ core, principal }: ManageAccountCall, gateway: GatewaysTable): Promise<LinkData> {
  const link = await readLink(core, gateway.id);
  return dataOf(link, link.requestedBy === principal.id);
}

/** Passes on what was asked, and answers how the link is now. */
async function ask(
  call: ManageAccountCall,
  asked: Omit<LinkRequest, "by">,
  message: string,
): Promise<Problem | { status: 202; body: { success: true; message: string; data: LinkData } }> {
  const gateway = await findLinked(call);
  if (gateway === null) return problem("not_found");
  const { id, account_id: accountId, identifier } = gateway;
  const request = { ...asked, by: call.principal.id };
  switch (await askForLink(call.core, { id, accountId, identifier }, request)) {
    case "switched_off":
      return problem("conflict", { message: "Switch the gateway on first." });
    case "linked":
      return problem("conflict", { message: "A device is linked. Unlink it first, or say `replace`." });
    case "not_linked":
      return problem("conflict", { message: "No device is linked." });
    case "asked":
      return { status: 202, body: { success: true, message, data: await shownLink(call, gateway) } };
  }
}

export const getGatewayLinkRoute = endpoint({
  ...about,
  method: "GET",
  path,
  name: "getGatewayLink",
  summary: "Get the link between a gateway and its device",
  replies: { 200: linkReply },
  problems: ["not_found"],
})(async (call) => {
  const gateway = await findLinked(call);
  if (gateway === null) return problem("not_found");
  return {
    status: 200,
    body: { success: true, message: "Link found.", data: await shownLink(call, gateway) },
  };
});

export const linkGatewayRoute = endpoint({
  ...about,
  method: "POST",
  path,
  name: "linkGateway",
  summary: "Link a device to a gateway",
  description:
    "The code to scan or to type in is in the link a moment later; a QR code is replaced by the next one until the device is linked or the last one expires.",
  body: linkRequest,
  replies: { 202: linkReply },
  problems: ["not_found", "conflict"],
})(async (call) => {
  const input = validate(linkRequest, call.body.value);
  if (isProblem(input)) return input;
  const { method, number = null, replace } = input.value;
  return await ask(call, { action: "link", method, number, replace }, "The device is being linked.");
});

const nothing = { method: "qr", number: null, replace: false } as const;

export const resumeGatewayLinkRoute = endpoint({
  ...about,
  method: "POST",
  path: `${path}/resume`,
  name: "resumeGatewayLink",
  summary: "Connect a linked device again",
  description: "After another program opened the same link, or before the end of a ban or another wait.",
  replies: { 202: linkReply },
  problems: ["not_found", "conflict"],
})(async (call) => await ask(call, { action: "resume", ...nothing }, "The device is being connected again."));

export const unlinkGatewayRoute = endpoint({
  ...about,
  method: "DELETE",
  path,
  name: "unlinkGateway",
  summary: "Unlink the device of a gateway",
  description:
    "The device's keys are deleted, and it is logged out at the provider if it can be reached; `reason` of the link says so afterwards.",
  replies: { 202: linkReply },
  problems: ["not_found", "conflict"],
})(async (call) => await ask(call, { action: "log_out", ...nothing }, "The device is being unlinked."));

export const watchGatewayLinkRoute = endpoint({
  ...about,
  method: "GET",
  path: `${path}/events`,
  name: "watchGatewayLink",
  summary: "Watch the link between a gateway and its device",
  description:
    "A stream of events, which ends after ten minutes, and at once when the gateway is switched off.",
  replyType: "text/event-stream",
  replies: { 200: linkEvents },
  problems: ["not_found"],
})(async (call) => {
  const gateway = await findLinked(call);
  if (gateway === null) return problem("not_found");
  const now = await shownLink(call, gateway);
  return { status: 200, headers: eventStreamHeaders, body: linkChanges(call, gateway, now) };
});

const eventOf = (text: string) => `event: link\ndata: ${text}\n\n`;

/** The link now, and again whenever it has changed. Of a gateway that is switched off nothing changes. */
function linkChanges(call: ManageAccountCall, gateway: GatewaysTable, first: LinkData): EventSource {
  const { clock } = call.core;
  const over = new AbortController();
  const endsAt = clock.monotonic() + (gateway.active === 1 ? streamMs : 0);
  let last: string | null = null;
  return {
    cancel: () => over.abort(),
    next: async () => {
      if (last === null) {
        last = JSON.stringify(first);
        return eventOf(last);
      }
      while (!over.signal.aborted && clock.monotonic() < endsAt) {
        await clock.sleep(lookMs, over.signal);
        const text = JSON.stringify(await shownLink(call, gateway));
        if (text === last) continue;
        last = text;
        return eventOf(text);
      }
      return null;
    },
  };
}

// The link between a gateway and a device: GET, POST and DELETE …/gateways/{gateway}/link; POST …/link/resume; GET
// …/link/events.

import { askForLink, type Link, readLink } from "#configure/link.ts";
import {
  type LinkData,
  linkEvents,
  linkReply,
  linkRequest,
  startedLinkReply,
} from "#contract/manage/links.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import type { Connection } from "#gateways/connection.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { LinkRequest } from "#gateways/session.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound, ProblemError } from "#http/reply/problem-error.ts";
import { qrSvg } from "#http/reply/qr-svg.ts";
import { type EventSource, eventStreamHeaders } from "#http/reply/sse.ts";
import {
  endPhoneLink,
  type PhoneLink,
  type PhoneLinkDeps,
  readPhoneLink,
  startPhoneLink,
} from "#phones/link.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { gatewayParams } from "./gateways.ts";

const path = "/api/manage/v1/accounts/{account}/gateways/{gateway}/link";
const about = { tag: "Gateways", scope: "account", params: gatewayParams } as const;

/** How often an event stream checks for a change, and how long it lasts, ms. */
const lookMs = 1_000;
const streamMs = 600_000;

/** The account's gateway in the path if its kind links a device; any other is not found. `pulled`: a phone that polls. */
async function findLinked(
  { core, account, params }: ManageAccountCall,
  kinds: readonly Connection[] = ["linked", "pulled"],
): Promise<{ gateway: GatewaysTable; isPulled: boolean; adapter: GatewayAdapter }> {
  const gateway = orNotFound(await core.database.run(findGatewayByIdentifier, params.gateway ?? ""));
  const adapter = orNotFound(findAdapter(gateway.kind, gateway.channel));
  if (gateway.account_id !== account.id || !kinds.includes(adapter.connection))
    throw new ProblemError(problem("not_found"));
  return { gateway, isPulled: adapter.connection === "pulled", adapter };
}

const phoneDeps = ({ core, settings }: ManageAccountCall): PhoneLinkDeps => ({
  ...core,
  publicUrl: settings.publicUrl,
});

const phoneData = (link: PhoneLink): LinkData => ({
  ...link,
  qr: link.qr && { ...link.qr, svg: qrSvg(link.qr.text) },
});

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
      linked_at: isoTime(linkedAt),
      seen_at: null,
    },
    limited_until: isoTime(limitedUntil),
    library,
  };
}

async function shownLink(
  call: ManageAccountCall,
  { gateway, isPulled }: { gateway: GatewaysTable; isPulled: boolean },
): Promise<LinkData> {
  const { core, principal } = call;
  if (isPulled) return phoneData(await readPhoneLink(phoneDeps(call), gateway, principal.id));
  const link = await readLink(core, gateway.id);
  return dataOf(link, link.requestedBy === principal.id);
}

/** Passes on the request and returns the resulting link. Throws the problem `conflict`. */
async function ask(
  call: ManageAccountCall,
  gateway: GatewaysTable,
  asked: Omit<LinkRequest, "by">,
): Promise<LinkData> {
  const { id, account_id: accountId, identifier } = gateway;
  const request = { ...asked, by: call.principal.id };
  const limits = call.settings.linkedDevices;
  const conflict = (message: string) => new ProblemError(problem("conflict", { message }));
  switch (await askForLink(call.core, { id, accountId, identifier }, request, limits)) {
    case "switched_off":
      throw conflict("Switch the gateway on first.");
    case "linked":
      throw conflict("A device is linked. Unlink it first, or say `replace`.");
    case "account_full":
      throw conflict(
        `The account has ${limits.ofAccount} linked devices, which is the most. Unlink one first.`,
      );
    case "all_full":
      throw conflict(
        `This installation has ${limits.inAll} linked devices, which is the most. Its operator can raise that.`,
      );
    case "not_linked":
      throw conflict("No device is linked.");
    case "asked":
      return await shownLink(call, { gateway, isPulled: false });
  }
}

export const getGatewayLinkRoute = endpoint({
  ...about,
  method: "GET",
  path,
  name: "getGatewayLink",
  summary: "Get the link between a gateway and its device",
  replies: { 200: linkReply },
})(async (call) => {
  const found = await findLinked(call);
  return { message: "Link found.", data: await shownLink(call, found) };
});

export const linkGatewayRoute = endpoint({
  ...about,
  method: "POST",
  path,
  name: "linkGateway",
  summary: "Link a device to a gateway",
  description:
    "For WhatsApp, the code to scan or to type in is in the link a moment later; a QR code is replaced by the next one until the device is linked or the last one expires. For an Android phone the reply has all that a person needs, instead of what was made before; a phone that is linked stays linked until another one is.",
  body: linkRequest,
  replies: { 202: startedLinkReply },
  problems: ["conflict"],
})(async (call) => {
  const found = await findLinked(call);
  const { method, number = null, replace } = call.input;
  if (found.isPulled) {
    const asked = { method, replace, by: call.principal.id };
    const started = await startPhoneLink(phoneDeps(call), found.gateway, asked);
    if (started.kind === "conflict") return problem("conflict", { message: started.message });
    const data = { ...phoneData(started.link), token: started.token };
    return { message: "A phone can be linked now.", data };
  }
  if (method === "enrol")
    return validationFailed([{ path: ["method"], message: "must be `qr` or `code` for this gateway" }]);
  if (method === "code" && number === null)
    return validationFailed([{ path: ["number"], message: "is required with the method `code`" }]);
  const missing = found.adapter.notInstalled?.() ?? null;
  if (missing !== null) return problem("conflict", { message: missing });
  const asked = { action: "link", method, number, replace } as const;
  const data = { ...(await ask(call, found.gateway, asked)), token: null };
  return { message: "The device is being linked.", data };
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
  problems: ["conflict"],
})(async (call) => {
  const found = await findLinked(call, ["linked"]);
  const asked = { action: "resume", ...nothing } as const;
  return { message: "The device is being connected again.", data: await ask(call, found.gateway, asked) };
});

export const unlinkGatewayRoute = endpoint({
  ...about,
  method: "DELETE",
  path,
  name: "unlinkGateway",
  summary: "Unlink the device of a gateway",
  description:
    "The device's keys are deleted, and it is logged out at the provider if it can be reached; `reason` of the link says so afterwards. An Android phone's access ends at once: what it was handed and has not reported becomes `unknown`, and what waits stays with the gateway.",
  replies: { 202: linkReply },
  problems: ["conflict"],
})(async (call) => {
  const found = await findLinked(call);
  const { gateway, isPulled } = found;
  if (!isPulled) {
    const data = await ask(call, gateway, { action: "log_out", ...nothing });
    return { message: "The device is being unlinked.", data };
  }
  const ended = await endPhoneLink(phoneDeps(call), gateway);
  if (ended.kind === "conflict") return problem("conflict", { message: ended.message });
  return { message: "The phone is unlinked.", data: await shownLink(call, found) };
});

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
})(async (call) => {
  const found = await findLinked(call);
  const now = await shownLink(call, found);
  return { status: 200, headers: eventStreamHeaders, body: linkChanges(call, found, now) };
});

const eventOf = (text: string) => `event: link\ndata: ${text}\n\n`;

/** The link now, and again whenever it has changed. The link of a switched-off gateway does not change. */
function linkChanges(
  call: ManageAccountCall,
  found: { gateway: GatewaysTable; isPulled: boolean },
  first: LinkData,
): EventSource {
  const { clock } = call.core;
  const over = new AbortController();
  const endsAt = clock.monotonic() + (found.gateway.active === 1 ? streamMs : 0);
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
        const text = JSON.stringify(await shownLink(call, found));
        if (text === last) continue;
        last = text;
        return eventOf(text);
      }
      return null;
    },
  };
}

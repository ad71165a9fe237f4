// GET, POST and DELETE /api/manage/v1/accounts/{account}/gateways/{gateway}/link

import { endedLinkReply, linkReply, startedLinkReply, startLinkRequest } from "#contract/manage/links.ts";
import { isProblem, problem } from "#contract/problem.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { validate } from "#http/validate.ts";
import { phoneLink } from "#messaging/phones/link.ts";
import { findOwn, gatewayParams } from "./gateways.ts";

const shared = {
  path: "/api/manage/v1/accounts/{account}/gateways/{gateway}/link",
  tag: "Gateways",
  family: "manage",
  scope: "account",
  params: gatewayParams,
} as const;

/** The gateway of the path with its kind's link; null: there is none, or gateways of its kind have no link. */
async function linkOf(call: ManageAccountCall) {
  const found = await findOwn(call, call.params.gateway);
  if (found === null || found.gateway.kind !== phoneLink.kind) return null;
  const deps = { ...call.core, publicUrl: call.settings.publicUrl };
  return { gateway: found.gateway, link: phoneLink, deps };
}

export const getGatewayLinkRoute = endpoint({
  ...shared,
  method: "GET",
  name: "getGatewayLink",
  summary: "Get the link of a gateway to its device",
  replies: { 200: linkReply },
  problems: ["not_found"],
})(async (call) => {
  const found = await linkOf(call);
  if (found === null) return problem("not_found");
  const data = await found.link.read(found.deps, found.gateway);
  return { status: 200, body: { success: true, message: "Link found.", data } };
});

export const startGatewayLinkRoute = endpoint({
  ...shared,
  method: "POST",
  name: "startGatewayLink",
  summary: "Begin to link a device to a gateway",
  description:
    "Makes what a person needs to link a device, instead of what was made before. A device that is linked stays linked until another one is.",
  body: startLinkRequest.meta({ id: "StartGatewayLinkRequest" }),
  replies: { 202: startedLinkReply },
  problems: ["not_found", "conflict"],
})(async (call) => {
  const input = validate(startLinkRequest, call.body.value ?? {});
  if (isProblem(input)) return input;
  const found = await linkOf(call);
  if (found === null) return problem("not_found");
  const started = await found.link.start(found.deps, found.gateway, input.value);
  if (started.kind === "conflict") return problem("conflict", { message: started.message });
  const data = { ...started.link, token: started.token };
  return { status: 202, body: { success: true, message: "The link can be made now.", data } };
});

export const endGatewayLinkRoute = endpoint({
  ...shared,
  method: "DELETE",
  name: "endGatewayLink",
  summary: "End the link of a gateway to its device",
  description:
    "The device's access ends at once. What it was handed and has not reported becomes `unknown`; what waits stays with the gateway.",
  replies: { 202: endedLinkReply },
  problems: ["not_found", "conflict"],
})(async (call) => {
  const found = await linkOf(call);
  if (found === null) return problem("not_found");
  const ended = await found.link.end(found.deps, found.gateway);
  if (ended.kind === "conflict") return problem("conflict", { message: ended.message });
  if (ended.kind === "not_linked") return problem("not_found");
  const data = { told_phone: ended.toldDevice };
  return { status: 202, body: { success: true, message: "The link has been ended.", data } };
});

// GET /api/manage/v1/accounts/{account}/gateways/{gateway}/check, POST …/register: how the gateway is set up at its provider.

import { checkGateway, registerGateway } from "#configure/check-gateway.ts";
import {
  gatewayCheckReply,
  registerGatewayReply,
  registerGatewayRequest,
} from "#contract/manage/gateway-check.ts";
import { problem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { findOwn, gatewayParams } from "./gateways.ts";

const about = { tag: "Gateways", scope: "account", params: gatewayParams } as const;
const gatewayPath = "/api/manage/v1/accounts/{account}/gateways/{gateway}";

export const checkGatewayRoute = endpoint({
  ...about,
  method: "GET",
  path: `${gatewayPath}/check`,
  name: "checkGateway",
  summary: "Check a gateway at its provider",
  description:
    "Asks the provider of a `whatsapp-cloud` gateway how it is set up; what the provider knows of the number is kept as the gateway's `provider`. Of other gateways with an address the finding `network` says whether the server can be reached, with a connection that carries nothing. A sandbox is always well. Gateways without an address, such as phones, have no check (404).",
  replies: { 200: gatewayCheckReply },
})(async (call) => {
  const { gateway } = orNotFound(await findOwn(call, call.params.gateway));
  const checked = orNotFound(await checkGateway(call.core, gateway));
  const { number = null, name = null, quality = null, limit = null, throughput = null } = checked.facts;
  return {
    message: "The gateway has been checked.",
    data: { number, name, quality, limit, throughput, findings: checked.findings },
  };
});

export const registerGatewayRoute = endpoint({
  ...about,
  method: "POST",
  path: `${gatewayPath}/register`,
  name: "registerGateway",
  summary: "Register a gateway's number with its provider",
  description:
    "Registers the number of a `whatsapp-cloud` gateway with Meta; a sandbox says yes, and gateways of other kinds have nothing to register (404). Meta allows ten registrations in 72 hours. What Meta refuses is a 409 with its reason. After a 503 the number may be registered: check it.",
  body: registerGatewayRequest,
  replies: { 200: registerGatewayReply },
  problems: ["conflict", "unavailable"],
})(async (call) => {
  const { gateway } = orNotFound(await findOwn(call, call.params.gateway));
  const result = orNotFound(await registerGateway(call.core, gateway, call.input.pin));
  switch (result.kind) {
    case "registered":
      return { message: "The number has been registered.", data: { registered: true } };
    case "refused":
      return problem("conflict", { message: result.reason });
    case "unknown":
      return problem("unavailable", { message: result.reason });
  }
});

// GET /api/manage/v1/accounts/{account}/gateways/{gateway}/check, POST …/register: how the gateway is set up at its provider.

import { checkGateway, registerGateway } from "#configure/check-gateway.ts";
import {
  gatewayCheckReply,
  registerGatewayReply,
  registerGatewayRequest,
} from "#contract/manage/gateway-check.ts";
import { isProblem, problem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { validate } from "#http/validate.ts";
import { findOwn, gatewayParams } from "./gateways.ts";

const about = { tag: "Gateways", family: "manage", scope: "account", params: gatewayParams } as const;
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
  problems: ["not_found"],
})(async (call) => {
  const found = await findOwn(call, call.params.gateway);
  const checked = found === null ? null : await checkGateway(call.core, found.gateway);
  if (checked === null) return problem("not_found");
  const { number = null, name = null, quality = null, limit = null, throughput = null } = checked.facts;
  return {
    status: 200,
    body: {
      success: true,
      message: "The gateway has been checked.",
      data: { number, name, quality, limit, throughput, findings: checked.findings },
    },
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
  problems: ["not_found", "conflict", "unavailable"],
})(async (call) => {
  const input = validate(registerGatewayRequest, call.body.value);
  if (isProblem(input)) return input;
  const found = await findOwn(call, call.params.gateway);
  const result = found === null ? null : await registerGateway(call.core, found.gateway, input.value.pin);
  switch (result?.kind) {
    case undefined:
      return problem("not_found");
    case "registered": {
      const data = { registered: true as const };
      return { status: 200, body: { success: true, message: "The number has been registered.", data } };
    }
    case "refused":
      return problem("conflict", { message: result.reason });
    case "unknown":
      return problem("unavailable", { message: result.reason });
  }
});

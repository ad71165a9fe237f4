// POST /api/manage/v1/accounts/{account}/gateways/{gateway}/test, /pause, /resume, /default

import { accountFromRow } from "#accounts/authenticate.ts";
import { updateGateway } from "#configure/change-gateway.ts";
import type { Issue } from "#contract/issue.ts";
import { gatewayReply, gatewayTestReply, testGatewayRequest } from "#contract/manage/gateways.ts";
import { readEmail } from "#contract/messages/email.ts";
import { readSms } from "#contract/messages/sms.ts";
import { isProblem, problem, validationFailed } from "#contract/problem.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { validate } from "#http/validate.ts";
import type { AcceptResult } from "#messaging/accept/accept.ts";
import { continueGateway, stopGateway } from "#store/gateways/actions.ts";
import { findOwn, gatewayAnswer, gatewayParams, stoppedByHand } from "./gateways.ts";

const about = {
  method: "POST",
  tag: "Gateways",
  family: "manage",
  scope: "account",
  params: gatewayParams,
} as const;

const changing = { ...about, replies: { 200: gatewayReply }, problems: ["not_found"] } as const;

const gatewayPath = "/api/manage/v1/accounts/{account}/gateways/{gateway}";

export const testGatewayRoute = endpoint({
  ...about,
  path: `${gatewayPath}/test`,
  name: "testGateway",
  summary: "Send a test message through a gateway",
  description:
    "An ordinary message that names this gateway: it costs credit as any other, and waits while the gateway pauses.",
  body: testGatewayRequest,
  replies: { 200: gatewayTestReply },
  problems: ["not_found", "conflict", "insufficient_credit", "unavailable", "commit_unknown"],
})(async (call) => {
  const given = validate(testGatewayRequest, call.body.value);
  if (isProblem(given)) return given;
  const found = await findOwn(call, call.params.gateway);
  if (found === null) return problem("not_found");
  const { identifier, channel, active } = found.gateway;
  if (channel === "whatsapp")
    return problem("conflict", { message: `Gateways of the channel ${channel} cannot be tested yet.` });
  if (active === 0) return problem("conflict", { message: "Switch the gateway on first." });
  const { to, message = `Trunkline test message through ${identifier}.` } = given.value;
  const result = await sendTest(call, { channel, to, message, identifier });
  switch (result.kind) {
    case "accepted":
      return {
        status: 200,
        body: {
          success: true,
          message: "The test message has been queued.",
          data: { id: result.ids[0]!, status: result.statuses[0]! },
        },
      };
    case "invalid":
      return validationFailed(result.issues.map(inOwnWords));
    case "insufficient_credit":
      return problem("insufficient_credit");
    case "unavailable":
    case "commit_unknown":
      return problem(result.kind, { retryAfterMs: result.retryAfterMs });
    default:
      throw new Error(`A send without an idempotency key came out as ${result.kind}.`);
  }
});

async function sendTest(
  { account, core, requestId }: ManageAccountCall,
  test: { channel: "sms" | "email"; to: string; message: string; identifier: string },
): Promise<AcceptResult> {
  const { channel, to, message, identifier: gateway_identifier } = test;
  const one = { maxContacts: 1 };
  if (channel === "sms") {
    const send = readSms({ contact: [{ number: to, message, gateway_identifier }] }, one);
    return await core.acceptance.sms(accountFromRow(account), requestId, send, null);
  }
  const subject = "Trunkline test message";
  const send = readEmail({ contact: [{ email: to, subject, message, gateway_identifier }] }, one);
  return await core.acceptance.email(accountFromRow(account), requestId, send, [], null);
}

/** A fault of the send, as one of the test's body. */
function inOwnWords({ path, message }: Issue): Issue {
  if (path.at(-1) === "message") return { path: ["message"], message: "cannot be sent" };
  if (path.at(-1) === "number") return { path: ["to"], message: "must be a phone number" };
  if (path.at(-1) === "email") return { path: ["to"], message: "must be an email address" };
  return { path: ["body"], message };
}

export const pauseGatewayRoute = endpoint({
  ...changing,
  path: `${gatewayPath}/pause`,
  name: "pauseGateway",
  summary: "Pause a gateway",
  description:
    "Nothing goes out through it until it is resumed; what is on its way is finished. What waits stays there, and messages for it are accepted as before: to have them moved, switch it off. Pausing again changes nothing.",
})(async (call) => {
  const { core } = call;
  const { database } = core;
  const { gateway: identifier = "" } = call.params;
  const at = core.clock.now();
  const stopping = { accountId: call.account.id, identifier, at, reason: stoppedByHand };
  if (!(await database.run(stopGateway, stopping))) return problem("not_found");
  core.signals.emit("lanesChanged");
  return await gatewayAnswer(call, identifier, "The gateway is paused.");
});

export const resumeGatewayRoute = endpoint({
  ...changing,
  path: `${gatewayPath}/resume`,
  name: "resumeGateway",
  summary: "Resume a gateway",
  description:
    "Ends a pause, whether somebody or trouble began it: it is tried at once. What waited too long meanwhile (the account's lateness window) expires.",
})(async (call) => {
  const { core } = call;
  const { database } = core;
  const { gateway: identifier = "" } = call.params;
  const at = core.clock.now();
  if (!(await database.run(continueGateway, { accountId: call.account.id, identifier, at })))
    return problem("not_found");
  core.signals.emit("lanesChanged");
  return await gatewayAnswer(call, identifier, "The gateway goes on.");
});

export const setDefaultGatewayRoute = endpoint({
  ...changing,
  path: `${gatewayPath}/default`,
  name: "makeGatewayDefault",
  summary: "Make a gateway the default of its channel",
  description: "It takes the channel's messages that name no gateway; the one before it no longer does.",
})(async (call) => {
  const found = await findOwn(call, call.params.gateway);
  if (found === null) return problem("not_found");
  const changed = await updateGateway(call.core, found.gateway, { default: true });
  if (changed.kind === "invalid") return validationFailed(changed.issues);
  return await gatewayAnswer(call, call.params.gateway, "The gateway is the default one.");
});

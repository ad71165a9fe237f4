// Actions of a person on a gateway: send a test message, pause, resume, and make it the default of its channel.

import { accountFromRow } from "#accounts/authenticate.ts";
import { gateways } from "#configure/gateway.ts";
import { pauseGateway, resumeGateway } from "#configure/gateway-actions.ts";
import type { Issue } from "#contract/issue.ts";
import { gatewayReply, gatewayTestReply, testGatewayRequest } from "#contract/manage/gateways.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { refused } from "#http/reply/refused.ts";
import { messageChannels } from "#messaging/channels.ts";
import { lookupWhenSent } from "#messaging/lookup-when-sent.ts";
import type { RecipientKind } from "#messaging/recipients.ts";
import { findOwn, gatewayAnswer, gatewayParams } from "./gateways.ts";

const about = {
  method: "POST",
  tag: "Gateways",
  scope: "account",
  params: gatewayParams,
} as const;

const changing = { ...about, replies: { 200: gatewayReply } } as const;

const gatewayPath = "/api/manage/v1/accounts/{account}/gateways/{gateway}";

export const testGatewayRoute = endpoint({
  ...about,
  path: `${gatewayPath}/test`,
  name: "testGateway",
  summary: "Send a test message through a gateway",
  description:
    "The test is an ordinary message that names this gateway. It costs credit, and it waits while the gateway is paused. The answer comes when the message was sent or has ended, after `wait_ms` (10 seconds) at the latest, with its timeline so far.",
  body: testGatewayRequest,
  replies: { 200: gatewayTestReply },
  problems: ["conflict", "insufficient_credit", "unavailable", "commit_unknown"],
})(async (call) => {
  const found = orNotFound(await findOwn(call, call.params.gateway));
  const { identifier, channel, active } = found.gateway;
  const { sending, recipients } = messageChannels[channel];
  if (active === 0) return problem("conflict", { message: "Switch the gateway on first." });
  const { to, message = `Trunkline test message through ${identifier}.` } = call.input;
  const contact = { ...sending.testContact(to, message), gateway_identifier: identifier };
  const result = await call.core.acceptance.send({
    account: accountFromRow(call.account),
    requestId: call.requestId,
    channel,
    send: sending.read({ contact: [contact] }, { maxContacts: 1 }),
    upload: null,
    idempotency: null,
  });
  switch (result.kind) {
    case "accepted": {
      const id = result.ids[0]!;
      const isStopped = found.lane.operator_paused_at !== null;
      const maxMs = isStopped ? 0 : call.input.wait_ms;
      const wait = { id, maxMs };
      const record = await lookupWhenSent(call.core, call.account, wait);
      if (record === null) throw new Error("A test message that was accepted is not found.");
      const { status, error, events = [] } = record;
      return { message: `The test message is ${status}.`, data: { id, status, error, events } };
    }
    case "invalid":
      return validationFailed(result.issues.map((issue) => asTestIssue(issue, recipients)));
    case "insufficient_credit":
      return problem("insufficient_credit");
    case "unavailable":
    case "commit_unknown":
      return problem(result.kind, { retryAfterMs: result.retryAfterMs });
    default:
      throw new Error(`A send without an idempotency key came out as ${result.kind}.`);
  }
});

/** An issue of the send, as one of the test request's fields. */
function asTestIssue({ path, message }: Issue, { field, noun }: RecipientKind): Issue {
  if (path.at(-1) === "message") return { path: ["message"], message: "cannot be sent" };
  if (path.at(-1) === field) return { path: ["to"], message: `must be ${noun}` };
  return { path: ["body"], message };
}

export const pauseGatewayRoute = endpoint({
  ...changing,
  path: `${gatewayPath}/pause`,
  name: "pauseGateway",
  summary: "Pause a gateway",
  description:
    "The gateway sends nothing until it is resumed. Transmissions under way are finished. Waiting messages stay with the gateway, and new ones are accepted. To move them to another gateway, switch this one off. Pausing again changes nothing.",
})(async (call) => {
  const { gateway: identifier } = call.params;
  if (!(await pauseGateway(call.core, call.account.id, identifier, call.principal.name)))
    return problem("not_found");
  return await gatewayAnswer(call, identifier, "The gateway has been paused.");
});

export const resumeGatewayRoute = endpoint({
  ...changing,
  path: `${gatewayPath}/resume`,
  name: "resumeGateway",
  summary: "Resume a gateway",
  description:
    "Ends a pause, whether it was made by hand or caused by failures. The gateway is tried immediately. Messages that waited longer than the account's `lateness_ms` expire.",
})(async (call) => {
  const { gateway: identifier } = call.params;
  if (!(await resumeGateway(call.core, call.account.id, identifier))) return problem("not_found");
  return await gatewayAnswer(call, identifier, "The gateway has been resumed.");
});

export const setDefaultGatewayRoute = endpoint({
  ...changing,
  problems: ["conflict"],
  path: `${gatewayPath}/default`,
  name: "setDefaultGateway",
  summary: "Set the default gateway of a channel",
  description:
    "The gateway takes the channel's messages that name no gateway. The previous default gateway no longer does.",
})(async (call) => {
  const { gateway: identifier } = call.params;
  const changed = await gateways.update(call.core, { accountId: call.account.id }, identifier, {
    default: true,
  });
  if (changed.kind !== "saved") return refused(changed);
  return await gatewayAnswer(call, identifier, "The gateway is now the default gateway of its channel.");
});

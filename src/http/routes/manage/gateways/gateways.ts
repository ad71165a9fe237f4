// The gateways of an account: GET and POST /api/manage/v1/accounts/{account}/gateways, and one of them by its
// identifier. What is done to one by hand (test, pause, …) stands in `gateway-actions.ts`.

import { createGateway, gatewayChanges, gatewayInputOf, updateGateway } from "#configure/change-gateway.ts";
import { gatewayInput } from "#configure/gateway.ts";
import {
  type GatewayReplyData,
  gatewayGoneReply,
  gatewayReply,
  gatewaysReply,
} from "#contract/manage/gateways.ts";
import { isProblem, type Problem, problem, validationFailed } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { findAdapter } from "#gateways/registry.ts";
import { masked } from "#gateways/secrets.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { accountParam } from "#http/routes/manage/accounts/accounts.ts";
import { validate } from "#http/validate.ts";
import { type Deleted, deleteGateway, type GatewayWithLane, readGateways } from "#store/gateways/actions.ts";

const params = { account: accountParam };
export const gatewayParams = { ...params, gateway: "The gateway's identifier." };

const countTo = 10_000;
/** A send that was accepted while the gateway was switched off is stored by then. */
const quietMs = 60_000;

type AccountCall = Pick<ManageAccountCall, "core" | "settings" | "account">;

/** How a gateway is doing, and since when it pauses. Stopped by hand weighs more than trouble. */
function stateOf({ gateway, lane }: GatewayWithLane): Pick<GatewayReplyData, "state" | "pause"> {
  if (lane.stopped_at !== null) {
    const pause = { reason: stoppedByHand, since: isoTime(lane.stopped_at), until: null };
    return { state: gateway.active === 1 ? "stopped" : "off", pause };
  }
  if (gateway.active === 0) return { state: "off", pause: null };
  if (lane.paused_since === null) return { state: "active", pause: null };
  const until = lane.paused_until === null ? null : isoTime(lane.paused_until);
  return {
    state: "paused",
    pause: { reason: lane.pause_reason ?? "", since: isoTime(lane.paused_since), until },
  };
}

export const stoppedByHand = "Paused by hand.";

function dataOf({ core, settings }: AccountCall, found: GatewayWithLane): GatewayReplyData {
  const { gateway, waiting } = found;
  const input = gatewayInputOf(core.sealer, gateway);
  const adapter = findAdapter(gateway.kind, gateway.channel);
  const { pace, retry } = input;
  return {
    id: gateway.id,
    identifier: gateway.identifier,
    channel: gateway.channel,
    kind: gateway.kind,
    default: input.default,
    active: input.active,
    test: gateway.test === 1,
    // Of a kind that is gone nobody knows what is secret.
    settings: adapter ? masked(adapter.settings, input.settings) : {},
    pace: {
      per_second: pace.per_second ?? null,
      concurrency: pace.concurrency,
      jitter_ms: pace.jitter_ms,
      per_day: pace.per_day ?? null,
      hours: pace.hours ?? null,
    },
    retry,
    on_unknown: input.on_unknown ?? null,
    ...stateOf(found),
    waiting,
    callback_url:
      settings.publicUrl === null || !adapter?.receives
        ? null
        : `${settings.publicUrl}/callbacks/${encodeURIComponent(gateway.identifier)}`,
    created_at: isoTime(gateway.created_at),
    updated_at: isoTime(gateway.updated_at),
  };
}

/** The account's gateway of this name; null: it has none. */
export async function findOwn(
  { core, account }: AccountCall,
  identifier: string | undefined,
): Promise<GatewayWithLane | null> {
  if (identifier === undefined) return null;
  const asked = { accountId: account.id, identifier, countTo };
  const [found] = await core.database.run(readGateways, asked);
  return found ?? null;
}

/** The answer that shows a gateway as it is now. */
export async function gatewayAnswer(call: AccountCall, identifier: string | undefined, message: string) {
  const found = await findOwn(call, identifier);
  if (found === null) return problem("not_found");
  return { status: 200 as const, body: { success: true as const, message, data: dataOf(call, found) } };
}

export const listGatewaysRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/gateways",
  name: "listGateways",
  tag: "Gateways",
  summary: "List the account's gateways",
  family: "manage",
  scope: "account",
  params,
  replies: { 200: gatewaysReply },
  problems: ["not_found"],
})(async (call) => {
  const asked = { accountId: call.account.id, identifier: null, countTo };
  const found = await call.core.database.run(readGateways, asked);
  const data = found.map((one) => dataOf(call, one));
  return { status: 200, body: { success: true, message: "Gateways found.", data, next_cursor: null } };
});

export const createGatewayRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/gateways",
  name: "createGateway",
  tag: "Gateways",
  summary: "Make a gateway",
  family: "manage",
  scope: "account",
  params,
  body: gatewayInput,
  replies: { 200: gatewayReply },
  problems: ["not_found"],
})(async (call) => {
  const given = validate(gatewayInput, call.body.value);
  if (isProblem(given)) return given;
  const made = await createGateway(call.core, call.account.id, given.value);
  if (made.kind === "invalid") return validationFailed(made.issues);
  return await gatewayAnswer(call, given.value.identifier, "The gateway has been made.");
});

export const getGatewayRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/gateways/{gateway}",
  name: "getGateway",
  tag: "Gateways",
  summary: "Look at a gateway",
  family: "manage",
  scope: "account",
  params: gatewayParams,
  replies: { 200: gatewayReply },
  problems: ["not_found"],
})(async (call) => await gatewayAnswer(call, call.params.gateway, "Gateway found."));

export const updateGatewayRoute = endpoint({
  method: "PATCH",
  path: "/api/manage/v1/accounts/{account}/gateways/{gateway}",
  name: "changeGateway",
  tag: "Gateways",
  summary: "Change a gateway",
  description:
    "Only the given fields change, also inside `settings`, `pace` and `retry`. A secret that is sent back as its mask stays as it is; when the address of the provider changes, every secret has to be given again. A pause that trouble caused ends, one by hand does not. Switched off, what waits moves to the channel's default gateway, but for messages whose sender named this one.",
  family: "manage",
  scope: "account",
  params: gatewayParams,
  body: gatewayChanges,
  replies: { 200: gatewayReply },
  problems: ["not_found"],
})(async (call) => {
  const given = validate(gatewayChanges, call.body.value);
  if (isProblem(given)) return given;
  const found = await findOwn(call, call.params.gateway);
  if (found === null) return problem("not_found");
  const changed = await updateGateway(call.core, found.gateway, given.value);
  if (changed.kind === "invalid") return validationFailed(changed.issues);
  return await gatewayAnswer(call, call.params.gateway, "The gateway has been changed.");
});

function refusal(outcome: Exclude<Deleted, "deleted">): Problem {
  switch (outcome) {
    case "not_found":
      return problem("not_found");
    case "used":
      return problem("conflict", { message: "Messages went through this gateway. Switch it off instead." });
    case "active":
      return problem("conflict", {
        message: "Switch the gateway off first; a minute later it can be deleted.",
      });
    case "just_switched_off":
      return problem("conflict", { message: "The gateway was changed a moment ago; try again in a minute." });
  }
}

export const deleteGatewayRoute = endpoint({
  method: "DELETE",
  path: "/api/manage/v1/accounts/{account}/gateways/{gateway}",
  name: "deleteGateway",
  tag: "Gateways",
  summary: "Delete a gateway that was never used",
  description:
    "It has to be switched off for a minute, and no message may ever have gone through it: those keep their gateway, and it can be switched off instead.",
  family: "manage",
  scope: "account",
  params: gatewayParams,
  replies: { 200: gatewayGoneReply },
  problems: ["not_found", "conflict"],
})(async ({ core, account, params: { gateway } }) => {
  if (gateway === undefined) return problem("not_found");
  const { database } = core;
  const quietSince = core.clock.now() - quietMs;
  const asked = { accountId: account.id, identifier: gateway, quietSince };
  const outcome = await database.run(deleteGateway, asked);
  if (outcome !== "deleted") return refusal(outcome);
  core.signals.emit("accountsChanged");
  core.signals.emit("lanesChanged");
  return { status: 200, body: { success: true, message: "The gateway has been deleted.", data: null } };
});

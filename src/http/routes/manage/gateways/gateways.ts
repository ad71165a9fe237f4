// The gateways of an account: GET and POST /api/manage/v1/accounts/{account}/gateways; GET, PATCH and DELETE
// …/gateways/{gateway}. `actions.ts` has what operators do to a gateway (test, pause, …).

import { z } from "zod";
import {
  createGateway,
  deleteGateway,
  gatewayChanges,
  gatewayInputOf,
  pausedByHand,
  updateGateway,
} from "#configure/change-gateway.ts";
import { gatewayInput } from "#configure/gateway.ts";
import { type GatewayReplyData, gatewayReply, gatewaysReply } from "#contract/manage/gateways.ts";
import { isProblem, type Problem, problem } from "#contract/problem.ts";
import { deleted, noContent } from "#contract/replies.ts";
import { isoTime } from "#contract/time.ts";
import type { GatewayFacts } from "#gateways/callback.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { createdAs } from "#http/reply/created.ts";
import { refused } from "#http/reply/refused.ts";
import { accountParam } from "#http/routes/manage/accounts/accounts.ts";
import { validate } from "#http/validate.ts";
import { masked } from "#settings/secrets.ts";
import { type DeleteGatewayResult, type GatewayWithLane, readGateways } from "#store/gateways/actions.ts";
import { untilConnected } from "#store/lanes/lanes.ts";

const params = { account: accountParam };
const identifierParam = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
  .describe("The gateway's identifier.");
export const gatewayParams = { ...params, gateway: identifierParam };

const countTo = 10_000;

type AccountCall = Pick<ManageAccountCall, "core" | "settings" | "account">;

/** A gateway's state, and since when it is paused. A pause by hand takes precedence over one caused by failures. */
export function stateOf({ gateway, lane }: GatewayWithLane): Pick<GatewayReplyData, "state" | "pause"> {
  if (lane.operator_paused_at !== null) {
    const pause = { reason: pausedByHand, since: isoTime(lane.operator_paused_at), until: null };
    return { state: gateway.active === 1 ? "stopped" : "off", pause };
  }
  if (gateway.active === 0) return { state: "off", pause: null };
  if (lane.paused_since === null) return { state: "active", pause: null };
  const { paused_until } = lane;
  const until = paused_until === null || paused_until === untilConnected ? null : isoTime(paused_until);
  return {
    state: "paused",
    pause: { reason: lane.pause_reason ?? "", since: isoTime(lane.paused_since), until },
  };
}

function sessionOf({ gateway, session }: GatewayWithLane): GatewayReplyData["session"] {
  if (session === null || gateway.active === 0) return null;
  const { status, reason, changed_at, linked_at } = session;
  return {
    state: status,
    reason,
    since: isoTime(changed_at),
    linked_at: linked_at === null ? null : isoTime(linked_at),
  };
}

function providerOf({ accountUpdate: update }: GatewayWithLane): GatewayReplyData["provider"] {
  if (update === null) return null;
  const facts = JSON.parse(update.facts) as GatewayFacts;
  const { number = null, name = null, quality = null, limit = null, throughput = null } = facts;
  const notice =
    update.notice === null || update.noticed_at === null
      ? null
      : { text: update.notice, at: isoTime(update.noticed_at) };
  return { number, name, quality, limit, throughput, notice, at: isoTime(update.changed_at) };
}

function dataOf({ core, settings }: AccountCall, found: GatewayWithLane): GatewayReplyData {
  const { gateway, unknownWord, waiting } = found;
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
    // Of a kind that no longer exists, it is not known which settings are secret.
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
    session: sessionOf(found),
    unknown_word: unknownWord && { word: unknownWord.word, at: isoTime(unknownWord.at) },
    provider: providerOf(found),
    waiting,
    callback_url:
      settings.publicUrl === null || !adapter?.receives
        ? null
        : `${settings.publicUrl}/callbacks/${encodeURIComponent(gateway.identifier)}`,
    revision: gateway.revision,
    created_at: isoTime(gateway.created_at),
    updated_at: isoTime(gateway.updated_at),
  };
}

/** The account's gateway with this identifier, or null. */
export async function findOwn(
  { core, account }: AccountCall,
  identifier: string | undefined,
): Promise<GatewayWithLane | null> {
  if (identifier === undefined) return null;
  const query = { accountId: account.id, identifier, countTo };
  const [found] = await core.database.run(readGateways, query);
  return found ?? null;
}

/** The reply that shows a gateway as it is now. */
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
  const query = { accountId: call.account.id, identifier: null, countTo };
  const found = await call.core.database.run(readGateways, query);
  const data = found.map((row) => dataOf(call, row));
  return { status: 200, body: { success: true, message: "Gateways found.", data, next_cursor: null } };
});

export const createGatewayRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/gateways",
  name: "createGateway",
  tag: "Gateways",
  summary: "Create a gateway",
  family: "manage",
  scope: "account",
  params,
  body: gatewayInput.meta({ id: "CreateGatewayRequest" }),
  replies: { 201: gatewayReply },
  problems: ["not_found"],
})(async (call) => {
  const input = validate(gatewayInput, call.body.value);
  if (isProblem(input)) return input;
  const created = await createGateway(call.core, call.account.id, input.value);
  if (created.kind !== "saved") return refused(created);
  const shown = await gatewayAnswer(call, input.value.identifier, "The gateway has been created.");
  const path = `/api/manage/v1/accounts/${call.account.id}/gateways`;
  return createdAs(shown, ({ data }) => `${path}/${encodeURIComponent(data.identifier)}`);
});

export const getGatewayRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/gateways/{gateway}",
  name: "getGateway",
  tag: "Gateways",
  summary: "Get a gateway",
  family: "manage",
  scope: "account",
  params: gatewayParams,
  replies: { 200: gatewayReply },
  problems: ["not_found"],
})(async (call) => await gatewayAnswer(call, call.params.gateway, "Gateway found."));

export const updateGatewayRoute = endpoint({
  method: "PATCH",
  path: "/api/manage/v1/accounts/{account}/gateways/{gateway}",
  name: "updateGateway",
  tag: "Gateways",
  summary: "Update a gateway",
  description:
    "Only the fields of the request change, also inside `settings`, `pace` and `retry`. A secret that is sent back as its mask stays unchanged. A new address of the provider requires every secret again. A pause caused by failures ends; a pause by hand does not. When the gateway is switched off, its waiting messages move to the channel's default gateway, except those whose sender named this gateway.",
  family: "manage",
  scope: "account",
  params: gatewayParams,
  body: gatewayChanges.meta({ id: "UpdateGatewayRequest" }),
  replies: { 200: gatewayReply },
  problems: ["not_found", "conflict"],
})(async ({ params: { gateway = "" }, ...call }) => {
  const input = validate(gatewayChanges, call.body.value);
  if (isProblem(input)) return input;
  const changed = await updateGateway(call.core, call.account.id, gateway, input.value);
  if (changed.kind !== "saved") return refused(changed);
  return await gatewayAnswer(call, gateway, "The gateway has been updated.");
});

function refusal(outcome: Exclude<DeleteGatewayResult, "deleted">): Problem {
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
    "The gateway must have been switched off for a minute. A gateway that ever carried a message cannot be deleted, because the message keeps its gateway; switch it off instead.",
  family: "manage",
  scope: "account",
  params: gatewayParams,
  replies: { 204: noContent },
  problems: ["not_found", "conflict"],
})(async ({ core, account, params: { gateway = "" } }) => {
  const outcome = await deleteGateway(core, account.id, gateway);
  return outcome === "deleted" ? deleted : refusal(outcome);
});

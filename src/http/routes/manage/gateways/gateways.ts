// The gateways of an account: GET and POST /api/manage/v1/accounts/{account}/gateways; GET and PATCH
// …/gateways/{gateway}. `actions.ts` has what operators do to a gateway (test, pause, …), `delete.ts` its end.

import { z } from "zod";
import { stateOf } from "#attention/gateway-state.ts";
import { gateways } from "#configure/gateway.ts";
import {
  type GatewayReplyData,
  gatewayChanges,
  gatewayFields,
  gatewayReply,
  gatewaysReply,
} from "#contract/manage/gateways.ts";
import { isoTime } from "#contract/time.ts";
import type { GatewayFacts } from "#gateways/callback.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { manageRoutes } from "#http/routes/manage/manage-routes.ts";
import { type GatewayWithLane, readGateways } from "#store/gateways/actions.ts";
import { unmatchedSince } from "#store/gateways/unmatched-receipts.ts";
import { deferringOf, paceNow, queueOf, waitingNow } from "./figures.ts";

const identifierParam = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
  .describe("The gateway's identifier.");
export const gatewayParams = { gateway: identifierParam };

type AccountCall = Pick<ManageAccountCall, "core" | "settings" | "account">;

function sessionOf({ gateway, session }: GatewayWithLane): GatewayReplyData["session"] {
  if (session === null || gateway.active === 0) return null;
  const { status, reason, changed_at, linked_at } = session;
  return {
    state: status,
    reason,
    since: isoTime(changed_at),
    linked_at: isoTime(linked_at),
  };
}

function providerOf({ accountUpdate: update }: GatewayWithLane): GatewayReplyData["provider"] {
  if (update === null) return null;
  const facts = JSON.parse(update.facts) as GatewayFacts & Record<string, string | null>;
  // Of what is known, only the receipts' match is not the provider's own report.
  if (update.notice === null && Object.keys(facts).every((name) => name === "unmatched_since")) return null;
  const { number = null, name = null, quality = null, limit = null, throughput = null } = facts;
  const notice =
    update.notice === null || update.noticed_at === null
      ? null
      : { text: update.notice, at: isoTime(update.noticed_at) };
  return { number, name, quality, limit, throughput, notice, at: isoTime(update.changed_at) };
}

function unmatchedOf({ accountUpdate }: GatewayWithLane): string | null {
  const since =
    accountUpdate === null
      ? null
      : unmatchedSince(JSON.parse(accountUpdate.facts) as object as Record<string, unknown>);
  return isoTime(since);
}

function dataOf(call: AccountCall, found: GatewayWithLane): GatewayReplyData {
  const { core, settings, account } = call;
  const { gateway, lane, unknownWord, queue, reportedAt } = found;
  const adapter = findAdapter(gateway.kind, gateway.channel);
  return {
    ...gateways.shown(core.sealer, gateway),
    test: gateway.test === 1,
    ...stateOf(found),
    session: sessionOf(found),
    unknown_word: unknownWord && { word: unknownWord.word, at: isoTime(unknownWord.at) },
    receipts_unmatched_since: unmatchedOf(found),
    provider: providerOf(found),
    waiting: queue.due + queue.later,
    queue: queueOf(found),
    deferring: deferringOf(found),
    ...paceNow(found, core.clock.now(), account.time_zone),
    draining:
      gateway.draining_at === null ? null : { since: isoTime(gateway.draining_at), sending: found.sending },
    pauses_in_row: lane.pauses,
    reported_at: isoTime(reportedAt),
    callback_url:
      settings.publicUrl === null || !adapter?.receives
        ? null
        : `${settings.publicUrl}/callbacks/${encodeURIComponent(gateway.identifier)}`,
  };
}

/** The account's gateway with this identifier, or null. */
export async function findOwn(
  { core, account }: AccountCall,
  identifier: string,
): Promise<GatewayWithLane | null> {
  const query = { ...waitingNow(core), accountId: account.id, identifier };
  const [found] = await core.database.run(readGateways, query);
  return found ?? null;
}

/** The reply that shows a gateway as it is now. */
export async function gatewayAnswer(call: AccountCall, identifier: string, message: string) {
  const found = orNotFound(await findOwn(call, identifier));
  return { message, data: dataOf(call, found) };
}

export const gatewayRoutes = manageRoutes({
  tag: "Gateways",
  operations: ["Gateway", "Gateways"],
  nouns: ["gateway", "gateways"],
  path: "/api/manage/v1/accounts/{account}/gateways",
  param: ["gateway", identifierParam],
  replies: { one: gatewayReply, many: gatewaysReply },
  list: {
    summary: "List the account's gateways",
    run: async (call) => {
      const query = { ...waitingNow(call.core), accountId: call.account.id, identifier: null };
      const found = await call.core.database.run(readGateways, query);
      return { data: found.map((row) => dataOf(call, row)), next_cursor: null };
    },
  },
  create: {
    summary: "Create a gateway",
    body: gatewayFields.meta({ id: "CreateGatewayRequest" }),
    run: async ({ core, account }, fields) => {
      const saved = await gateways.create(core, { accountId: account.id }, fields);
      return saved.kind === "saved" ? { ...saved, id: fields.identifier } : saved;
    },
  },
  get: {
    summary: "Get a gateway",
    run: async (call, identifier) => {
      const found = await findOwn(call, identifier);
      return found && dataOf(call, found);
    },
  },
  update: {
    summary: "Update a gateway",
    description:
      "Only the fields of the request change, also inside `settings`, `pace` and `retry`. A secret that is sent back as its mask stays unchanged. A new address of the provider requires every secret again. A pause caused by failures ends; a pause by hand does not. When the gateway is switched off, its waiting messages move to the channel's default gateway, except those whose sender named this gateway.",
    body: gatewayChanges.meta({ id: "UpdateGatewayRequest" }),
    run: ({ core, account }, identifier, changes) =>
      gateways.update(core, { accountId: account.id }, identifier, changes),
  },
});

// Callbacks of providers. The gateway's adapter verifies them, and `store-report.ts` stores their contents.

import { hash } from "node:crypto";
import type { Core } from "#core/core.ts";
import {
  type CallbackRequest,
  defaultCallbackBytes,
  type IgnoredUpdate,
  type Received,
  type ReplayGuard,
} from "#gateways/callback.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import { findAdapter } from "#gateways/registry.ts";
import { provenMessage } from "#messaging/message-urls.ts";
import { receiveFromPhone } from "#phones/receive.ts";
import { claimSignature } from "#store/feedback/callback-signatures.ts";
import { findGatewayByIdentifier, openSettings } from "#store/gateways/gateways.ts";
import { type StoreReportDeps, storeReport } from "./store-report.ts";

export interface CallbackDeps extends StoreReportDeps, Pick<Core, "outbound" | "sealer"> {
  readReport: ReadReport;
}

/** Providers wait about 15 s for the reply to a callback. */
const confirmTimeoutMs = 10_000;

export type CallbackResult =
  | { kind: "done"; reply?: { contentType: string; body: string } }
  | { kind: "forbidden" }
  | { kind: "not_configured" }
  | { kind: "malformed" }
  | { kind: "unavailable" }
  | { kind: "not_found" };

/** The receiver of all gateways' callbacks. */
export interface Callbacks {
  /** Maximum size of a callback from the gateway's provider, bytes. */
  maxBytes(identifier: string): Promise<number>;
  receive(identifier: string, request: CallbackRequest): Promise<CallbackResult>;
}

export function createCallbacks(deps: CallbackDeps): Callbacks {
  return {
    maxBytes: async (identifier) => {
      const gateway = await deps.database.run(findGatewayByIdentifier, identifier);
      const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
      return adapter?.maxCallbackBytes ?? defaultCallbackBytes;
    },
    receive: (identifier, request) => receiveCallback(deps, identifier, request),
  };
}

/** Resolves with `done` only after the callback's content is stored and its subscription, if any, is confirmed. */
export async function receiveCallback(
  deps: CallbackDeps,
  identifier: string,
  request: CallbackRequest,
): Promise<CallbackResult> {
  const gateway = await deps.database.run(findGatewayByIdentifier, identifier);
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  if (gateway && adapter?.connection === "pulled") {
    const received = await receiveFromPhone(deps, gateway, request);
    if (received.kind !== "received") return { kind: received.kind };
    await storeReport(deps, received.gateway, { inbound: [received.message] });
    return { kind: "done" };
  }
  // A gateway without callbacks looks like one that does not exist, so that guessing finds no gateways.
  if (!gateway || !adapter?.receives) return { kind: "not_found" };
  let received: Received;
  try {
    const { clock, outbound, readReport } = deps;
    const tools = {
      clock,
      outbound,
      readReport,
      provenMessage: (call: CallbackRequest) => provenMessage(deps.sealer, gateway.id, call),
    };
    received = await adapter.receive(request, openSettings(deps.sealer, gateway), tools);
  } catch (error) {
    deps.log.error(
      { event: "adapter.failed", gateway: identifier, error },
      "A gateway adapter threw while it read a callback.",
    );
    return { kind: "malformed" };
  }
  if ("replayGuard" in received && !(await matchesProof(deps, received))) {
    deps.log.warn(
      { event: "callback.refused", gateway: identifier },
      "A callback was refused: its signature was used before, with another event.",
    );
    return { kind: "forbidden" };
  }
  if (received.kind !== "received") {
    deps.log.warn(
      { event: "callback.refused", gateway: identifier, why: received.kind, reason: received.reason },
      "A callback was refused.",
    );
    return { kind: received.kind === "not_taken" ? "not_found" : received.kind };
  }
  await storeReport(deps, gateway, received);
  if (received.afterStored !== undefined) void runAfter(deps, identifier, received.afterStored);
  countIgnored(deps, identifier, received.ignored ?? []);
  if (
    received.confirmUrl !== undefined &&
    !(await confirmSubscription(deps, identifier, received.confirmUrl))
  ) {
    return { kind: "unavailable" };
  }
  return received.reply ? { kind: "done", reply: received.reply } : { kind: "done" };
}

/** The adapter's work after a report was stored; the provider already has its answer. */
async function runAfter({ log }: CallbackDeps, gateway: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error(
      { event: "adapter.failed", gateway, error },
      "A gateway adapter threw after a callback was stored.",
    );
  }
}

/** Counts skipped updates. Many may come in one call, so the log has one line for all of them. */
function countIgnored(
  { log, metrics }: CallbackDeps,
  gateway: string,
  ignored: readonly IgnoredUpdate[],
): void {
  if (ignored.length === 0) return;
  const updates: Partial<Record<IgnoredUpdate, number>> = {};
  for (const why of ignored) updates[why] = (updates[why] ?? 0) + 1;
  for (const [why, count] of Object.entries(updates)) metrics.callbackIgnored(gateway, why, count);
  log.info({ event: "callback.updates_ignored", gateway, ...updates }, "Updates in a callback were skipped.");
}

/**
 * Whether a callback has the event that its proof was first used with; a proof is valid for one event. Events are compared by content, so a
 * repetition in other bytes passes and is stored again without effect, in case the first attempt was interrupted.
 */
async function matchesProof(
  { database }: CallbackDeps,
  received: Extract<Received, { replayGuard?: ReplayGuard }>,
): Promise<boolean> {
  if (received.replayGuard === undefined) return true;
  const { proof, until } = received.replayGuard;
  const content =
    received.kind === "received" ? [received.receipts, received.inbound, received.engagements] : [];
  return await database.run(claimSignature, {
    signature_hash: hash("sha256", proof, "base64url"),
    event_hash: hash("sha256", JSON.stringify(content), "base64url"),
    expires_at: until,
  });
}

/** Requests the URL that confirms a provider's subscription. The URL is a capability, so it is not logged. */
async function confirmSubscription(
  { outbound, log }: CallbackDeps,
  gateway: string,
  url: string,
): Promise<boolean> {
  const result = await outbound.request({ method: "GET", url, timeoutMs: confirmTimeoutMs });
  if (result.kind === "answer" && result.status >= 200 && result.status < 300) {
    log.info({ event: "callback.subscription_confirmed", gateway }, "A callback subscription was confirmed.");
    return true;
  }
  const why = result.kind === "answer" ? `status ${result.status}` : result.reason;
  log.warn(
    { event: "callback.subscription_failed", gateway, why },
    "A callback subscription could not be confirmed.",
  );
  return false;
}

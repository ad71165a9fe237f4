// Callbacks of providers. The gateway's adapter verifies them; receipts and engagements are stored once and applied to
// their messages. Inbound messages are stored, and a consent keyword in them takes effect.

import { hash } from "node:crypto";
import { consentKeyword } from "#contract/messages/consent.ts";
import type { Core } from "#core/core.ts";
import type {
  CallbackRequest,
  Engagement,
  InboundMessage,
  Received,
  ReplayGuard,
} from "#gateways/callback.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import { findAdapter } from "#gateways/registry.ts";
import { messageChannels } from "#messaging/channels.ts";
import { openSettings } from "#messaging/deliver/open-gateway.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { claimSignature } from "#store/feedback/callback-signatures.ts";
import { storeEngagements } from "#store/feedback/engagements.ts";
import { type IncomingMessage, storeInbound } from "#store/feedback/inbound.ts";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { engagementFrom, receiptFrom, toDbText } from "./normalise.ts";

export interface CallbackDeps
  extends Pick<
    Core,
    "clock" | "crashPoint" | "database" | "log" | "metrics" | "newId" | "outbound" | "sealer" | "signals"
  > {
  readReport: ReadReport;
}

/** When the provider does not name the message that a reply answers, it is the latest one of the last week. */
const replyWindowMs = 7 * 86_400_000;
/** Providers wait about 15 s for the reply to a callback. */
const confirmTimeoutMs = 10_000;

export type CallbackResult =
  | { kind: "done"; reply?: { contentType: string; body: string } }
  | { kind: "forbidden" }
  | { kind: "not_configured" }
  | { kind: "malformed" }
  | { kind: "unavailable" }
  | { kind: "not_found" };

/** What takes the callbacks of all gateways. */
export interface Callbacks {
  receive(identifier: string, request: CallbackRequest): Promise<CallbackResult>;
}

export function createCallbacks(deps: CallbackDeps): Callbacks {
  return { receive: (identifier, request) => receiveCallback(deps, identifier, request) };
}

/** Resolves with `done` only after the callback's content is stored and its subscription, if any, is confirmed. */
export async function receiveCallback(
  deps: CallbackDeps,
  identifier: string,
  request: CallbackRequest,
): Promise<CallbackResult> {
  const gateway = await deps.database.run(findGatewayByIdentifier, identifier);
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  // A gateway without callbacks looks like one that does not exist, so that guessing finds no gateways.
  if (!gateway || !adapter?.receives) return { kind: "not_found" };
  let received: Received;
  try {
    const { clock, outbound, readReport } = deps;
    const tools = { clock, outbound, readReport };
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
  await store(deps, gateway, received);
  deps.metrics.receipts(identifier, received.receipts.length);
  if (
    received.confirmUrl !== undefined &&
    !(await confirmSubscription(deps, identifier, received.confirmUrl))
  ) {
    return { kind: "unavailable" };
  }
  return received.reply ? { kind: "done", reply: received.reply } : { kind: "done" };
}

/**
 * Whether a callback has the event that its proof was first used with; a proof is valid for one event. Events are
 * compared by content, so a repeat in other bytes passes and is stored again without effect, in case the first attempt
 * was interrupted.
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

async function store(
  deps: CallbackDeps,
  gateway: GatewaysTable,
  received: Extract<Received, { kind: "received" }>,
): Promise<void> {
  const { database, clock, crashPoint } = deps;
  const at = clock.now();
  const account = received.inbound.length > 0 ? await database.run(findAccount, gateway.account_id) : null;
  const country = account?.country ?? null;
  const { engagements = [] } = received;
  crashPoint("receipt.before");
  await Promise.all([
    ...received.receipts.map((receipt) => database.run(storeReceipts, receiptFrom(gateway.id, receipt, at))),
    ...received.inbound.map((message) =>
      database.run(storeInbound, toIncomingMessage(deps, gateway, country, message, at)),
    ),
    ...engagements.map((engagement) => storeEngagement(deps, gateway, engagement, at)),
  ]);
  crashPoint("receipt.after");
  if (received.receipts.length + received.inbound.length + engagements.length > 0)
    deps.signals.emit("eventsRecorded");
}

async function storeEngagement(
  { database, log }: CallbackDeps,
  gateway: GatewaysTable,
  engagement: Engagement,
  at: number,
): Promise<void> {
  const stored = await database.run(storeEngagements, engagementFrom(gateway.id, engagement, at));
  if (stored !== "unknown") return;
  // It belongs to another application's mail, to a removed one, or to one whose reference is not stored yet.
  const { kind, reference } = engagement;
  log.info(
    { event: "engagement.unmatched", gateway: gateway.identifier, kind, reference },
    "A provider reported on an unknown mail.",
  );
}

/** An inbound message as it is stored. Its sender is normalised as recipients are, so that both compare as equal. */
function toIncomingMessage(
  { newId }: CallbackDeps,
  gateway: GatewaysTable,
  country: string | null,
  inbound: InboundMessage,
  at: number,
): IncomingMessage {
  const { channel } = gateway;
  const from = toDbText(inbound.from);
  const body = toDbText(inbound.message);
  const { normalise, hasConsentKeywords } = messageChannels[channel].recipients;
  const media = inbound.media.map(({ url, contentType }) => ({
    url: toDbText(url),
    content_type: contentType,
  }));
  return {
    message: {
      id: newId("in"),
      account_id: gateway.account_id,
      gateway_id: gateway.id,
      channel,
      reference: toDbText(inbound.reference),
      sender: normalise(from, country) ?? from,
      recipient: toDbText(inbound.to),
      body,
      media: JSON.stringify(media),
      received_at: at,
      consent_keyword: hasConsentKeywords ? consentKeyword(body) : null,
    },
    gatewayIdentifier: gateway.identifier,
    replyTo: inbound.replyTo ?? null,
    sentSince: at - replyWindowMs,
  };
}

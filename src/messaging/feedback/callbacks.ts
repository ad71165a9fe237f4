// Providers' callbacks: verified by the gateway's adapter, stored once, and applied to their messages; what people
// write back is stored, and heeded when it is an opt-out word.

import { hash } from "node:crypto";
import { consentKeyword } from "#contract/messages/consent.ts";
import type { Core } from "#core/core.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import type {
  CallbackRequest,
  Engagement,
  InboundMessage,
  Received,
  ReplayGuard,
} from "#gateways/gateway.ts";
import { findAdapter } from "#gateways/registry.ts";
import { toRecipient } from "#messaging/accept/phone.ts";
import { openSettings } from "#messaging/deliver/open-gateway.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { useProof } from "#store/feedback/callback-signatures.ts";
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

/** Without a word from the provider, a person answers what was sent to them in the last week. */
const replyWindowMs = 7 * 86_400_000;
/** A provider waits some 15 s for the answer to a callback. */
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

/** Answers `done` only when everything that the callback said is stored, and its subscription confirmed. */
export async function receiveCallback(
  parts: CallbackDeps,
  identifier: string,
  request: CallbackRequest,
): Promise<CallbackResult> {
  const gateway = await parts.database.run(findGatewayByIdentifier, identifier);
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  // A stranger must not learn by asking which gateways there are: one that takes nothing is as one that does not exist.
  if (!gateway || !adapter?.receives) return { kind: "not_found" };
  let received: Received;
  try {
    const { clock, outbound, readReport } = parts;
    const tools = { clock, outbound, readReport };
    received = await adapter.receive(request, openSettings(parts.sealer, gateway), tools);
  } catch (error) {
    parts.log.error({ gateway: identifier, error }, "a gateway adapter threw on a callback");
    return { kind: "malformed" };
  }
  if ("replayGuard" in received && !(await bringsItsEvent(parts, received))) {
    parts.log.warn({ gateway: identifier }, "a callback was refused: its signature came with another event");
    return { kind: "forbidden" };
  }
  if (received.kind !== "received") {
    parts.log.warn(
      { gateway: identifier, why: received.kind, reason: received.reason },
      "a callback was refused",
    );
    return { kind: received.kind === "not_taken" ? "not_found" : received.kind };
  }
  await store(parts, gateway, received);
  parts.metrics.receipts(identifier, received.receipts.length);
  if (received.confirmUrl !== undefined && !(await confirmed(parts, identifier, received.confirmUrl))) {
    return { kind: "unavailable" };
  }
  return received.reply ? { kind: "done", reply: received.reply } : { kind: "done" };
}

/**
 * Whether a call with a proof that is good for one event brings that event. The event is what the call comes to, so a
 * repeat in other bytes is the same one; it is stored again, to no effect, in case the first time was broken off.
 */
async function bringsItsEvent(
  { database }: CallbackDeps,
  received: Extract<Received, { replayGuard?: ReplayGuard }>,
): Promise<boolean> {
  if (received.replayGuard === undefined) return true;
  const { proof, until } = received.replayGuard;
  const said =
    received.kind === "received" ? [received.receipts, received.inbound, received.engagements] : [];
  return await database.run(useProof, {
    proof: hash("sha256", proof, "base64url"),
    event: hash("sha256", JSON.stringify(said), "base64url"),
    expires_at: until,
  });
}

/** Visits the URL with which a provider has a subscription confirmed. It is a capability, so it is not logged. */
async function confirmed({ outbound, log }: CallbackDeps, gateway: string, url: string): Promise<boolean> {
  const result = await outbound.request({ method: "GET", url, timeoutMs: confirmTimeoutMs });
  if (result.kind === "answer" && result.status >= 200 && result.status < 300) {
    log.info({ gateway }, "a provider's subscription of the callback was confirmed");
    return true;
  }
  const why = result.kind === "answer" ? `status ${result.status}` : result.reason;
  log.warn({ gateway, why }, "a provider's subscription of the callback could not be confirmed");
  return false;
}

async function store(
  parts: CallbackDeps,
  gateway: GatewaysTable,
  received: Extract<Received, { kind: "received" }>,
): Promise<void> {
  const { database, clock, crashPoint } = parts;
  const at = clock.now();
  const account = received.inbound.length > 0 ? await database.run(findAccount, gateway.account_id) : null;
  const country = account?.country ?? null;
  const { engagements = [] } = received;
  crashPoint("receipt.before");
  await Promise.all([
    ...received.receipts.map((receipt) => database.run(storeReceipts, receiptFrom(gateway.id, receipt, at))),
    ...received.inbound.map((message) =>
      database.run(storeInbound, messageFrom(parts, gateway, country, message, at)),
    ),
    ...engagements.map((engagement) => engage(parts, gateway, engagement, at)),
  ]);
  crashPoint("receipt.after");
  if (received.receipts.length + received.inbound.length + engagements.length > 0)
    parts.signals.emit("eventsRecorded");
}

async function engage(
  { database, log }: CallbackDeps,
  gateway: GatewaysTable,
  engagement: Engagement,
  at: number,
): Promise<void> {
  const stored = await database.run(storeEngagements, engagementFrom(gateway.id, engagement, at));
  if (stored !== "unknown") return;
  // Of another application's mail, of one that was removed, or of one whose reference is not known yet.
  const { kind, reference } = engagement;
  log.info({ gateway: gateway.identifier, kind, reference }, "a provider told of a mail that is not known");
}

/** A message from a person as it is stored: the sender spelled as recipients are, so that both are one person. */
function messageFrom(
  { newId }: CallbackDeps,
  gateway: GatewaysTable,
  country: string | null,
  inbound: InboundMessage,
  at: number,
): IncomingMessage {
  const { channel } = gateway;
  const from = toDbText(inbound.from);
  const body = toDbText(inbound.message);
  const number = channel === "email" ? null : toRecipient(from, country);
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
      sender: number?.recipient ?? from,
      recipient: toDbText(inbound.to),
      body,
      media: JSON.stringify(media),
      received_at: at,
      // Mail programs answer with the whole letter quoted, and have a header for this.
      opt: channel === "email" ? null : consentKeyword(body),
    },
    gatewayIdentifier: gateway.identifier,
    replyTo: inbound.replyTo ?? null,
    sentSince: at - replyWindowMs,
  };
}

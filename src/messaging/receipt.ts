// Providers' callbacks: verified by the gateway's adapter, stored once, and applied to their messages; what people
// write back is stored, and heeded when it is an opt-out word.

import { createHash } from "node:crypto";
import { optWord } from "#contract/consent.ts";
import type { CallbackRequest, InboundMessage, Receipt, Received } from "#gateways/gateway.ts";
import { gatewayOf } from "#gateways/registry.ts";
import type { Metrics } from "#runtime/metrics.ts";
import type { Clock, Log, Runtime } from "#runtime/runtime.ts";
import { findAccount } from "#store/accounts.ts";
import type { Database } from "#store/database.ts";
import { findGatewayByIdentifier } from "#store/gateways.ts";
import { type IncomingMessage, storeInbound } from "#store/inbound.ts";
import { type IncomingReceipt, storeReceipts } from "#store/receipts.ts";
import type { GatewaysTable } from "#store/schema.ts";
import type { Sealer } from "#store/seal.ts";
import { openSettings } from "./open-gateway.ts";
import { toRecipient } from "./phone.ts";

export interface ReceiptParts {
  database: Database;
  clock: Clock;
  log: Log;
  sealer: Sealer;
  newId(prefix: string): string;
  crashPoint: Runtime["crashPoint"];
  metrics: Metrics;
  /** Something happened that webhook endpoints may ask for. */
  announced(): void;
}

/** Without a word from the provider, a person answers what was sent to them in the last week. */
const answeredWithinMs = 7 * 86_400_000;

export type CallbackResult =
  | { kind: "done"; reply?: { contentType: string; body: string } }
  | { kind: "forbidden" }
  | { kind: "not_configured" }
  | { kind: "malformed" }
  | { kind: "not_found" };

/** Answers `done` only when everything that the callback said is stored. */
export async function receiveCallback(
  parts: ReceiptParts,
  identifier: string,
  request: CallbackRequest,
): Promise<CallbackResult> {
  const gateway = await parts.database.run(findGatewayByIdentifier, identifier);
  const adapter = gateway && gatewayOf(gateway.kind, gateway.channel);
  if (!gateway || !adapter) return { kind: "not_found" };
  let received: Received;
  try {
    received = adapter.receive(request, openSettings(parts.sealer, gateway), { clock: parts.clock });
  } catch (error) {
    parts.log.error({ gateway: identifier, error }, "a gateway adapter threw on a callback");
    return { kind: "malformed" };
  }
  if (received.kind !== "received") {
    parts.log.warn(
      { gateway: identifier, why: received.kind, reason: received.reason },
      "a callback was refused",
    );
    return { kind: received.kind };
  }
  await store(parts, gateway, received);
  parts.metrics.receipts(identifier, received.receipts.length);
  return received.reply ? { kind: "done", reply: received.reply } : { kind: "done" };
}

async function store(
  parts: ReceiptParts,
  gateway: GatewaysTable,
  received: Extract<Received, { kind: "received" }>,
): Promise<void> {
  const { database, clock, crashPoint } = parts;
  const at = clock.now();
  const account = received.inbound.length > 0 ? await database.run(findAccount, gateway.account_id) : null;
  const country = account?.country ?? null;
  crashPoint("receipt.before");
  await Promise.all([
    ...received.receipts.map((receipt) => database.run(storeReceipts, incoming(gateway.id, receipt, at))),
    ...received.inbound.map((message) =>
      database.run(storeInbound, messageFrom(parts, gateway, country, message, at)),
    ),
  ]);
  crashPoint("receipt.after");
  if (received.receipts.length + received.inbound.length > 0) parts.announced();
}

/** A message from a person as it is stored: the sender spelled as recipients are, so that both are one person. */
function messageFrom(
  { newId }: ReceiptParts,
  gateway: GatewaysTable,
  country: string | null,
  inbound: InboundMessage,
  at: number,
): IncomingMessage {
  const { channel } = gateway;
  const from = storable(inbound.from);
  const body = storable(inbound.message);
  const number = channel === "email" ? null : toRecipient(from, country);
  const media = inbound.media.map(({ url, contentType }) => ({
    url: storable(url),
    content_type: contentType,
  }));
  return {
    message: {
      id: newId("in"),
      account_id: gateway.account_id,
      gateway_id: gateway.id,
      channel,
      reference: storable(inbound.reference),
      sender: number?.recipient ?? from,
      recipient: storable(inbound.to),
      body,
      media: JSON.stringify(media),
      received_at: at,
      // Mail programs answer with the whole letter quoted, and have a header for this.
      opt: channel === "email" ? null : optWord(body),
    },
    gatewayIdentifier: gateway.identifier,
    replyTo: inbound.replyTo ?? null,
    sentSince: at - answeredWithinMs,
  };
}

/** PostgreSQL's text holds no NUL and no half of a surrogate pair: a callback with one would fail for ever. */
function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

function incoming(gatewayId: string, receipt: Receipt, receivedAt: number): IncomingReceipt {
  const { reference, messageId = null, status, code = null, reason = null, at = null } = receipt;
  return {
    gatewayId,
    // The same report again, however often, is the same row.
    key: createHash("sha256")
      .update(JSON.stringify([reference, messageId, status, code]))
      .digest("base64url"),
    reference,
    messageId,
    status,
    code,
    reason,
    at,
    receivedAt,
  };
}

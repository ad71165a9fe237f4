// Providers' callbacks: verified by the gateway's adapter, stored once, and applied to their messages.

import { createHash } from "node:crypto";
import type { CallbackRequest, Receipt, Received } from "#gateways/gateway.ts";
import { gatewayOf } from "#gateways/registry.ts";
import type { Metrics } from "#runtime/metrics.ts";
import type { Clock, Log, Runtime } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { findGatewayByIdentifier } from "#store/gateways.ts";
import { type IncomingReceipt, storeInbound, storeReceipts } from "#store/receipts.ts";
import type { GatewaysTable } from "#store/schema.ts";
import type { Sealer } from "#store/seal.ts";
import { openSettings } from "./open-gateway.ts";

export interface ReceiptParts {
  database: Database;
  clock: Clock;
  log: Log;
  sealer: Sealer;
  newId(prefix: string): string;
  crashPoint: Runtime["crashPoint"];
  metrics: Metrics;
}

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
  { database, clock, newId, crashPoint }: ReceiptParts,
  gateway: GatewaysTable,
  received: Extract<Received, { kind: "received" }>,
): Promise<void> {
  const at = clock.now();
  crashPoint("receipt.before");
  await Promise.all([
    ...received.receipts.map((receipt) => database.run(storeReceipts, incoming(gateway.id, receipt, at))),
    ...received.inbound.map((message) =>
      database.run(storeInbound, {
        id: newId("in"),
        account_id: gateway.account_id,
        gateway_id: gateway.id,
        channel: gateway.channel,
        reference: message.reference,
        sender: message.from,
        recipient: message.to,
        body: message.message,
        media: JSON.stringify(message.media),
        received_at: at,
      }),
    ),
  ]);
  crashPoint("receipt.after");
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

// Receipts and engagements in the form that is stored. Texts that come from recipients' programs are truncated and cleaned. The same report
// always has the same key, so that it counts once.

import { createHash } from "node:crypto";
import { normaliseAddress } from "#contract/address.ts";
import { bounceOf, statusIn } from "#contract/messages/bounce-class.ts";
import type { Engagement, Receipt } from "#gateways/callback.ts";
import { withoutControls } from "#settings/redact.ts";
import type { IncomingEngagement } from "#store/feedback/engagements.ts";
import type { IncomingReceipt } from "#store/feedback/receipts.ts";
import { isBot } from "./bots.ts";

const maxLengths = { url: 2_000, userAgent: 300, ip: 64, reason: 500 };

/** PostgreSQL's text holds no NUL and no half of a surrogate pair: a callback with one would fail on every retry. */
export function toDbText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** On one line, without control characters, at most `length` long. */
const shortened = (text: string | undefined, length: number): string | null =>
  text === undefined ? null : withoutControls(text.toWellFormed(), length);

/** `receivedAt`: epoch ms. */
export function engagementFrom(
  gatewayId: string,
  engagement: Engagement,
  receivedAt: number,
): IncomingEngagement {
  const { kind, reference, messageId = null, at, key, url, userAgent, ip, machine, reason } = engagement;
  const recipient = recipientOf(engagement);
  const identity = key ?? JSON.stringify([at, url, userAgent, ip, reason]);
  const agent = shortened(userAgent, maxLengths.userAgent);
  return {
    gatewayId,
    kind,
    messageId,
    reference,
    key: createHash("sha256")
      .update(JSON.stringify([kind, identity]))
      .digest("base64url"),
    count: 1,
    at: at !== undefined && Number.isFinite(at) ? Math.floor(at) : receivedAt,
    receivedAt,
    // Without the provider's verdict the user agent decides; without either it counts as a person.
    machine: machine ?? (agent !== null && agent !== "" && isBot({ userAgent: agent, purpose: null })),
    url: shortened(url, maxLengths.url),
    userAgent: agent,
    ip: shortened(ip, maxLengths.ip),
    reason: shortened(reason, maxLengths.reason),
    recipient,
  };
}

/** As recipients are stored; null if the report names no address. */
const recipientOf = ({ recipient }: Pick<Receipt, "recipient">) =>
  recipient === undefined ? null : normaliseAddress(recipient.trim());

/**
 * Whether a bounce counts against its address. The provider's verdict is used unless the status code that it passes on blames something
 * else (policy, content, size): vendors classify those differently.
 */
export function verdictOf({ bounce, code = "", reason = "" }: Receipt): "hard" | "soft" | null {
  const status = statusIn(code) ?? statusIn(reason);
  return bounce === undefined || (status !== null && bounceOf(status, reason) === null) ? null : bounce;
}

/** `receivedAt`: epoch ms. */
export function receiptFrom(gatewayId: string, receipt: Receipt, receivedAt: number): IncomingReceipt {
  const { reference, messageId = null, status, code = null, reason = null, at = null } = receipt;
  const bounce = status === "bounced" ? verdictOf(receipt) : null;
  const recipient = recipientOf(receipt);
  const identity = [reference, messageId, status === "returned" ? "undelivered" : status, code];
  return {
    gatewayId,
    // Every repetition of a report is the same row.
    key: createHash("sha256")
      .update(JSON.stringify(recipient === null ? identity : [...identity, recipient]))
      .digest("base64url"),
    reference,
    messageId,
    status,
    code,
    reason: reason === null ? null : shortened(reason, maxLengths.reason),
    bounce,
    recipient,
    at,
    receivedAt,
  };
}

// What a provider reports of a message's fate, and tells of a mail beside it, in the form in which it is stored. Texts
// that recipients' programs say are shortened and made fit for a column; the same word again has the same key, and counts once.

import { createHash } from "node:crypto";
import { bounceOf, statusIn } from "#contract/messages/bounce-class.ts";
import type { Engagement, Receipt } from "#gateways/gateway.ts";
import type { IncomingEngagement } from "#store/feedback/engagements.ts";
import type { IncomingReceipt } from "#store/feedback/receipts.ts";
import { isBot } from "./bots.ts";

const maxLengths = { url: 2_000, userAgent: 300, ip: 64, reason: 500 };

/** PostgreSQL's text holds no NUL and no half of a surrogate pair: a callback with one would fail for ever. */
export function toDbText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** On one line, without control characters, at most so long. */
const shortened = (text: string | undefined, length: number): string | null =>
  text === undefined
    ? null
    : toDbText(text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, length)).trim();

/** `receivedAt`: epoch ms. */
export function engagementFrom(
  gatewayId: string,
  engagement: Engagement,
  receivedAt: number,
): IncomingEngagement {
  const { kind, reference, messageId = null, at, key, url, userAgent, ip, machine, reason } = engagement;
  const said = key ?? JSON.stringify([at, url, userAgent, ip, reason]);
  const agent = shortened(userAgent, maxLengths.userAgent);
  return {
    gatewayId,
    kind,
    messageId,
    reference,
    key: createHash("sha256")
      .update(JSON.stringify([kind, said]))
      .digest("base64url"),
    count: 1,
    at: at !== undefined && Number.isFinite(at) ? Math.floor(at) : receivedAt,
    receivedAt,
    // A provider that says nothing of it may still give the program's name; one that gives neither is believed.
    machine: machine ?? (agent !== null && agent !== "" && isBot({ userAgent: agent, purpose: null })),
    url: shortened(url, maxLengths.url),
    userAgent: agent,
    ip: shortened(ip, maxLengths.ip),
    reason: shortened(reason, maxLengths.reason),
  };
}

/**
 * What a bounce says about its address. A provider's own verdict counts, but not where the code that it passes on names
 * something else than the address (policy, content, size), because its words for that differ from vendor to vendor.
 */
function verdictOf({ bounce, code = "", reason = "" }: Receipt): "hard" | "soft" | null {
  const status = statusIn(code) ?? statusIn(reason);
  return bounce === undefined || (status !== null && bounceOf(status, reason) === null) ? null : bounce;
}

/** `receivedAt`: epoch ms. */
export function receiptFrom(gatewayId: string, receipt: Receipt, receivedAt: number): IncomingReceipt {
  const { reference, messageId = null, status, code = null, reason = null, at = null } = receipt;
  const bounce = status === "bounced" ? verdictOf(receipt) : null;
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
    reason: reason === null ? null : shortened(reason, maxLengths.reason),
    bounce,
    at,
    receivedAt,
  };
}

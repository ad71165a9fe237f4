// What the events of all vendors have in common: which message an event is about, when it happened, whether its signature is recent, and
// the client of an open or a click. No field is trusted to have its documented type.

import { cleanText, oneLine } from "#settings/redact.ts";
import type { AccountUpdate, Engagement, Receipt, Received } from "./callback.ts";
import { referenceFrom } from "./json-path.ts";

/** The mail of an event, and when it happened. */
export interface EventIds {
  reference: string | null;
  messageId?: string;
  at?: number;
}

type Loose<T> = { [Name in keyof T]: T[Name] | undefined };

/** The same without undefined fields: optional fields are absent rather than undefined. */
export function omitUndefined<T extends object>(fields: Loose<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Null for an event that identifies no mail of ours, by the vendor's id or by ours. */
export function eventIds(
  reference: string | null,
  messageId: string | null,
  at: number | undefined,
): EventIds | null {
  const ids = { reference: referenceFrom(reference), messageId: parseMessageId(messageId), at };
  return ids.reference === null && ids.messageId === undefined ? null : omitUndefined<EventIds>(ids);
}

/** Our id as an event returned it; undefined for any other text. */
export function parseMessageId(text: string | null | undefined): string | undefined {
  return text !== null && text !== undefined && /^msg_[\w-]{1,60}$/.test(text) ? text : undefined;
}

/** A verified call with these reports. It carries no inbound messages. */
export function receivedReports(
  reports: readonly (Receipt | Engagement)[],
): Extract<Received, { kind: "received" }> {
  const engagements = reports.filter((report) => "kind" in report);
  const receipts = reports.filter((report): report is Receipt => !("kind" in report));
  return { kind: "received", receipts, inbound: [], ...(engagements.length > 0 ? { engagements } : {}) };
}

/** A Message-ID without its angle brackets: vendors write them in some places and omit them in others. */
export function bareMessageId(text: string | null): string | null {
  return text === null ? null : text.trim().replace(/^<(.*)>$/, "$1");
}

/** A vendor's id of an event, which distinguishes it from others of its kind; undefined for one that cannot be stored. */
export function eventKey(id: string | null): string | undefined {
  return id !== null && /^[\w.:=+/@-]{1,100}$/.test(id) ? id : undefined;
}

/** A vendor's time as epoch ms: a count of seconds (fractions allowed) or ISO 8601 with a zone; undefined otherwise. */
export function eventTime(text: string | null | undefined): number | undefined {
  const time = text ?? "";
  if (/^\d{9,10}(?:\.\d{1,9})?$/.test(time)) return Math.round(Number(time) * 1000);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/.test(time)) return undefined;
  const at = Date.parse(time);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * Vendors repeat a callback for up to three days with its first timestamp, so a shorter window would lose reports.
 * Within it a replay changes nothing, because the same report again is the same row.
 */
const replayWindowMs = 3 * 86_400_000;
/** How far a vendor's clock may be ahead. */
const maxClockSkewMs = 3_600_000;

/** Whether a callback that was signed at that time (epoch ms) is still accepted. */
export function isFresh(signedAt: number | undefined, now: number): boolean {
  return signedAt !== undefined && signedAt > now - replayWindowMs && signedAt < now + maxClockSkewMs;
}

/** Until when a callback that was signed at that time (epoch ms) is accepted, epoch ms. */
export const freshUntil = (signedAt: number) => signedAt + replayWindowMs;

/** The reason of an event in the vendor's words, on one line, not yet masked or truncated; undefined if it is empty. */
export function reasonText(text: string | null | undefined): string | undefined {
  const line = oneLine(text ?? "");
  return line === "" ? undefined : line;
}

/** Longer than any link that a mail program follows; a truncated link would lead elsewhere. */
const maxUrlChars = 4096;

/** The client of an open or a click, as far as it can be stored. */
export function clientInfo(event: {
  url?: string | null;
  userAgent?: string | null;
  ip?: string | null;
}): Pick<Engagement, "url" | "userAgent" | "ip"> {
  const url = event.url ?? "";
  const ip = event.ip ?? "";
  return omitUndefined({
    url: url !== "" && url.length <= maxUrlChars && !/[\p{Cc}\s]/u.test(url) ? url.toWellFormed() : undefined,
    userAgent: cleanText(event.userAgent ?? "", [], 500) || undefined,
    ip: /^[\da-fA-F.:]{2,45}$/.test(ip) ? ip : undefined,
  });
}

/** Afterwards the lane sends a probe, whose outcome decides, ms. */
const accountFaultMs = 300_000;

/**
 * A message failed, after its provider accepted it, because of a fault of the account (at `at`, epoch ms): the next ones would fail like
 * it.
 */
export function accountFaultUpdate(code: string, reason: string | undefined, at: number): AccountUpdate {
  const why = reason === undefined ? "" : ` ${reason}`;
  const notice = `The provider took messages, and failed one for a fault of the account (${code}).${why}`;
  return { at, notice, pauseUntil: at + accountFaultMs };
}

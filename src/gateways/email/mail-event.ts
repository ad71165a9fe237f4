// What vendors' events come to, whichever vendor: which mail an event is about, and what is told of an open or a
// click. Nothing here believes that a field has the type that the documentation gives it.

import type { Engagement, Receipt, Received } from "#gateways/gateway.ts";
import { cleanText } from "#gateways/http-outcome.ts";
import { referenceFrom } from "#gateways/sms/http-api/json-path.ts";
import { parseMessageId } from "./http-mail.ts";

/** Which mail an event is about, and when it happened. */
export interface EventIds {
  reference: string | null;
  messageId?: string;
  at?: number;
}

type Loose<T> = { [Name in keyof T]: T[Name] | undefined };

/** The fields that are there: an optional field is left out rather than undefined. */
export function omitUndefined<T extends object>(fields: Loose<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Null for an event that names no mail of ours, by the vendor's id or by ours. */
export function eventIds(
  reference: string | null,
  ourId: string | null,
  at: number | undefined,
): EventIds | null {
  const names = { reference: referenceFrom(reference), messageId: parseMessageId(ourId), at };
  return names.reference === null && names.messageId === undefined ? null : omitUndefined<EventIds>(names);
}

/** A call that says these things, none of which came from a person. */
export function receivedReports(reports: readonly (Receipt | Engagement)[]): Received {
  const engagements = reports.filter((report) => "kind" in report);
  const receipts = reports.filter((report): report is Receipt => !("kind" in report));
  return { kind: "received", receipts, inbound: [], ...(engagements.length > 0 ? { engagements } : {}) };
}

/** A Message-ID without its angle brackets: vendors write them in some places and not in others. */
export function bareMessageId(text: string | null): string | null {
  return text === null ? null : text.trim().replace(/^<(.*)>$/, "$1");
}

/** A vendor's id of an event, which tells it from others of its kind; undefined for one that cannot be stored. */
export function eventKey(id: string | null): string | undefined {
  return id !== null && /^[\w.:=+/@-]{1,100}$/.test(id) ? id : undefined;
}

/** Longer than any link that a mail program follows; a cut link would lead elsewhere. */
const longestUrl = 4096;

/** What is told of somebody who opened or clicked, as far as it is fit to be stored. */
export function clientInfo(given: {
  url?: string | null;
  userAgent?: string | null;
  ip?: string | null;
}): Pick<Engagement, "url" | "userAgent" | "ip"> {
  const url = given.url ?? "";
  const ip = given.ip ?? "";
  return omitUndefined({
    url: url !== "" && url.length <= longestUrl && !/[\p{Cc}\s]/u.test(url) ? url.toWellFormed() : undefined,
    userAgent: cleanText(given.userAgent ?? "", [], 500) || undefined,
    ip: /^[\da-fA-F.:]{2,45}$/.test(ip) ? ip : undefined,
  });
}

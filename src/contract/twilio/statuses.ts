// The words of a message's life as Twilio says them, in one table, and the codes of its failures.
// https://www.twilio.com/docs/messaging/api/message-resource#message-status-values and https://www.twilio.com/docs/api/errors

import type { Status } from "#contract/messages/channel.ts";

/** The statuses of Twilio that a message here can have. */
type TwilioStatus =
  | "queued"
  | "scheduled"
  | "sending"
  | "sent"
  | "delivered"
  | "read"
  | "undelivered"
  | "failed"
  | "canceled";

/**
 * Twilio has no word for `unknown`: whether the message was sent is not known, and a receipt may still say so. It is `sending` there, the
 * only word that claims neither. What is `suppressed` or `expired` was never sent, which Twilio calls `failed`.
 */
export const twilioStatuses: Readonly<Record<Status, TwilioStatus>> = {
  queued: "queued",
  scheduled: "scheduled",
  sending: "sending",
  unknown: "sending",
  sent: "sent",
  delivered: "delivered",
  read: "read",
  undelivered: "undelivered",
  bounced: "undelivered",
  failed: "failed",
  expired: "failed",
  suppressed: "failed",
  cancelled: "canceled",
};

/** Those whose event is posted: `unknown` changes nothing that a receiver may act on. */
export const postedStatuses: readonly Status[] = (Object.keys(twilioStatuses) as Status[]).filter(
  (status) => status !== "unknown" && status !== "bounced",
);

/** It waited for too long, and was not sent. */
const validityExpired = 30036;

/** What Twilio calls the reasons that our gateways have in common. */
const codes: ReadonlyMap<string, number> = new Map([
  ["opted_out", 21610],
  ["suppressed", 21610],
  ["too_late", validityExpired],
  ["invalid_recipient", 21211],
  ["invalid_number", 21211],
  ["not_on_whatsapp", 63024],
  ["outside_window", 63016],
  ["message_too_long", 21617],
  ["too_long", 21617],
  ["media_unreachable", 63019],
  ["media_not_uploaded", 63019],
]);

/** "Unknown error", of which Twilio says that no more is known. */
const unknownError = 30008;

/**
 * Twilio's code for the reason of a message that failed; null for a message that did not. `code`: that of the record's error. A message
 * that a gateway sent through Twilio has its code already.
 */
export function twilioErrorCode(status: Status, code: string | null): number | null {
  const word = twilioStatuses[status];
  if (word !== "failed" && word !== "undelivered") return null;
  if (code !== null && /^(?:21|30|63)\d{3}$/.test(code)) return Number(code);
  return codes.get(code ?? "") ?? (status === "expired" ? validityExpired : unknownError);
}

// The words of a mail's life as Resend says them, in one table. https://resend.com/docs/dashboard/emails/introduction

import type { Status } from "#contract/messages/channel.ts";

/** The `last_event`s of Resend that a mail here can have. */
type LastEvent =
  | "queued"
  | "scheduled"
  | "sent"
  | "delivered"
  | "opened"
  | "bounced"
  | "failed"
  | "suppressed"
  | "canceled";

/**
 * Resend has no word for a mail of which it is not known whether it was sent: `unknown` is `queued`, the only word that claims neither
 * `sent` nor `failed`. `undelivered` came back without being a bounce of the recipient's server, and `expired` was never sent.
 */
const lastEvents: Readonly<Record<Status, LastEvent>> = {
  queued: "queued",
  scheduled: "scheduled",
  sending: "queued",
  unknown: "queued",
  sent: "sent",
  delivered: "delivered",
  read: "opened",
  undelivered: "failed",
  bounced: "bounced",
  failed: "failed",
  expired: "failed",
  suppressed: "suppressed",
  cancelled: "canceled",
};

/** What happened last to a mail. `opened`: whether a person opened it; a mail that bounced after that is still one that bounced. */
export function lastEventOf(status: Status, opened: boolean): LastEvent {
  const event = lastEvents[status];
  return opened && (event === "sent" || event === "delivered") ? "opened" : event;
}

// The channels and the statuses of messages. Lookups and webhooks show these words.

import { z } from "zod";

export const channels = ["sms", "whatsapp", "email"] as const;
export type Channel = (typeof channels)[number];

export const statuses = [
  "queued",
  "scheduled",
  "sending",
  "sent",
  "delivered",
  "read",
  "failed",
  "undelivered",
  "bounced",
  "expired",
  "cancelled",
  "suppressed",
  "unknown",
] as const;
export type Status = (typeof statuses)[number];

/** A channel on the wire. */
export const channelWord = z.enum(channels).meta({ id: "Channel" });
/** A message's status on the wire. */
export const statusWord = z.enum(statuses).meta({ id: "MessageStatus" });

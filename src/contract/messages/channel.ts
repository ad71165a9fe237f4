// The channels and the states of a message, in the words of lookups and webhooks.

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

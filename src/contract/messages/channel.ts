// The channels, and the states a message can be in. The words are the public ones (lookups, webhooks).

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

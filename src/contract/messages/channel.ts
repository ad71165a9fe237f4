// The channels and the statuses of messages, as lookups and webhooks name them. No zod here: the storage threads load this file, and zod
// would cost each of them 8 MiB.

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

/** Those of messages that did not arrive, which every count of failures has. */
export const failures = ["failed", "undelivered", "bounced", "expired"] as const satisfies readonly Status[];

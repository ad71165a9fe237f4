// The management API's view of webhooks: endpoints without their secrets, and what became of each delivery.

import { z } from "zod";

const instant = z.iso.datetime({ precision: 3 });
const success = { success: z.literal(true), message: z.string() };

/** An endpoint. */
export const webhookRecord = z.object({
  id: z.string(),
  url: z.string().describe("Where events are posted."),
  events: z.array(z.string()).describe("The patterns of what it is told."),
  active: z.boolean(),
  failing_since: instant
    .nullable()
    .describe("When the first try failed since the last that succeeded; after 5 days it is disabled."),
  disabled_at: instant
    .nullable()
    .describe("When it was disabled because of its failures; null also when it was switched off by hand."),
  disabled_reason: z.string().nullable().describe("Why, in plain words."),
  old_secret_until: instant
    .nullable()
    .describe("Until when the secret before the present one signs as well; null: there is none."),
  created_at: instant,
  updated_at: instant,
});
export type WebhookRecord = z.output<typeof webhookRecord>;

export const webhookReply = z.object({ ...success, data: webhookRecord });

/** All endpoints of an account, oldest first. */
export const webhooksReply = z.object({
  ...success,
  data: z.array(webhookRecord),
  next_cursor: z.null().describe("There is always one page."),
});

const secret = z.string().nullable();

export const newWebhookReply = z.object({
  ...success,
  data: webhookRecord.extend({
    secret: secret.describe("The secret that was made, shown this once; null when it was given."),
  }),
});

export const rotatedWebhookReply = z.object({
  ...success,
  data: webhookRecord.extend({
    secret: secret.describe("The new secret, shown this once. The one before it signs as well for 24 h."),
  }),
});

/** It is gone. */
export const webhookRemovedReply = z.object({ ...success, data: z.object({ id: z.string() }) });

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

export const deliveryTry = z.object({
  at: instant,
  ms: z.int().describe("How long it took."),
  status: z.int().nullable().describe("Of the answer; null: there was none."),
  reason: z.string().nullable().describe("Why it did not succeed; null: it did."),
  answer: z.string().nullable().describe("The first 500 characters of the answer; null: there was none."),
});
export type DeliveryTryRecord = z.output<typeof deliveryTry>;

const delivery = {
  id: z.string().describe("The event's id: the `webhook-id` header, the same on every try."),
  type: z.string().describe("The event's type."),
  timestamp: instant.describe("When it happened."),
  status: z
    .enum(deliveryStatuses)
    .describe("`pending`: it waits for its first or next try; `failed`: it is not tried any more."),
  attempts: z.int().min(0).describe("Tries since it was made or last replayed."),
  next_attempt_at: instant.nullable(),
  created_at: instant,
  updated_at: instant,
};

/** A delivery in a list. */
export const deliveryRecord = z.object({
  ...delivery,
  last_try: deliveryTry.nullable().describe("The latest line of its log."),
});
export type DeliveryRecord = z.output<typeof deliveryRecord>;

/** A page of deliveries, newest first. */
export const deliveriesReply = z.object({
  ...success,
  data: z.array(deliveryRecord),
  next_cursor: z.string().nullable().describe("For the next page; null on the last one."),
});

export const deliveryReply = z.object({
  ...success,
  data: z.object({
    ...delivery,
    body: z.string().describe("The text that is posted and signed."),
    log: z.array(deliveryTry).describe("Its latest 20 tries, oldest first."),
  }),
});

export const deliveriesQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional().describe("Only those that stand there."),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("How many; 50 by default."),
  cursor: z.string().max(200).optional().describe("A `next_cursor` given earlier."),
});

/** A replay or a test event: what is due now. */
export const deliveryDueReply = z.object({
  ...success,
  data: z.object({ id: z.string().describe("The event's id.") }),
});

export const replayRequest = z.strictObject({
  since: z.iso
    .datetime({ offset: true })
    .describe("Failed deliveries that were made at this time (ISO 8601) or later."),
});

export const replayReply = z.object({
  ...success,
  data: z.object({
    replayed: z.int().describe("How many are due again."),
    more: z.boolean().describe("Whether some are left: 10,000 are replayed in one call. Call again."),
  }),
});

// The management API's schemas for webhooks: endpoints without their secrets, and their deliveries.

import { z } from "zod";
import {
  anyFields,
  cursorNote,
  extended,
  instant,
  limit,
  page,
  pageFields,
  reply,
  revision,
  timeParam,
} from "#contract/envelope.ts";
import { testEventType } from "#contract/events/shapes.ts";
import { eventTypes } from "#contract/messages/events.ts";

/** A webhook endpoint. */
const webhookRecord = z
  .object({
    id: z.string(),
    name: z.string().describe("What it is called. Without a name of its own, that is the host of its URL."),
    url: z
      .string()
      .describe(
        "The URL that events are posted to: its origin and path, with the mask `••••` in place of its query. Sending it back in this form keeps the stored URL. `StatusCallback`: that of each message.",
      ),
    events: z.array(z.string()).describe("The patterns of the event types that are posted."),
    active: z.boolean(),
    failing_since: instant
      .nullable()
      .describe(
        "When the first attempt failed since the last success. After 5 days the endpoint is disabled.",
      ),
    disabled_at: instant
      .nullable()
      .describe(
        "When the endpoint was disabled because of its failures; null also if it was disabled manually.",
      ),
    disabled_reason: z.string().nullable().describe("Why the endpoint was disabled."),
    old_secret_until: instant
      .nullable()
      .describe("Until when the previous secret signs as well; null if there is no previous secret."),
    revision,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "Webhook" });
export type WebhookRecord = z.output<typeof webhookRecord>;

export const webhookReply = reply("WebhookReply", webhookRecord);

/** All webhook endpoints of an account, oldest first. */
export const webhooksReply = page("WebhookPage", webhookRecord);

const secret = z.string().nullable();

export const newWebhookReply = reply(
  "NewWebhookReply",
  extended("NewWebhook", webhookRecord, {
    secret: secret.describe(
      "The generated secret, which no other reply shows; null if the request contained the secret.",
    ),
  }),
);

export const rotatedWebhookReply = reply(
  "RotatedWebhookReply",
  extended("RotatedWebhook", webhookRecord, {
    secret: secret.describe(
      "The new secret, which no other reply shows. For 24 h the previous one signs as well.",
    ),
  }),
);

const deliveryStatuses = ["pending", "delivered", "failed"] as const;
const deliveryStatus = z.enum(deliveryStatuses).meta({ id: "DeliveryStatus" });

const deliveryTry = z
  .object({
    at: instant,
    ms: z.int().describe("How long the attempt took."),
    status: z.int().nullable().describe("The status of the answer; null if there was none."),
    reason: z.string().nullable().describe("Why the attempt failed; null if it succeeded."),
    answer: z.string().nullable().describe("The first 500 characters of the answer; null if there was none."),
  })
  .meta({ id: "DeliveryTry" });
export type DeliveryTryRecord = z.output<typeof deliveryTry>;

const delivery = {
  id: z.string().describe("The event's id: the `webhook-id` header, the same for every attempt."),
  type: z.string().describe("The event's type."),
  message: z
    .object({ id: z.string(), recipient: z.string().describe("The number or address.") })
    .nullable()
    .meta({ id: "DeliveryMessage" })
    .describe(
      "The message that the event is about; null for another event, or when the message is no longer kept.",
    ),
  timestamp: instant.describe("When the event happened."),
  status: deliveryStatus.describe(
    "`pending`: waits for the first or next try. `failed`: is not tried again.",
  ),
  attempts: z.int().min(0).describe("Attempts since the delivery was created or last replayed."),
  next_attempt_at: instant.nullable(),
  created_at: instant,
  updated_at: instant,
};

/** A delivery in a list. */
export const deliveryRecord = z
  .object({
    ...delivery,
    last_try: deliveryTry.nullable().describe("The latest try."),
  })
  .meta({ id: "DeliverySummary" });
export type DeliveryRecord = z.output<typeof deliveryRecord>;

/** A page of deliveries, newest first. */
export const deliveriesReply = z
  .object({
    ...pageFields(
      deliveryRecord,
      " With `status` or `event`, a page may be short or empty and still have a next page.",
    ),
    searched_until: instant
      .nullable()
      .describe(
        "How far this page searched: every match made after this time is in this page or in earlier ones. Null if it searched everything.",
      ),
  })
  .meta({ id: "DeliveryPage" });

export const deliveryReply = reply(
  "DeliveryReply",
  z
    .object({
      ...delivery,
      body: z
        .string()
        .describe(
          "The event. It is posted as it is and signed, by an endpoint with the format `twilio` as a form.",
        ),
      headers: z
        .record(z.string(), z.string())
        .nullable()
        .describe(
          "The headers of the latest try, without `webhook-signature` if the secret was replaced since. Null before the first try, and for an endpoint with the format `twilio`.",
        ),
      log: z.array(deliveryTry).describe("The latest 20 attempts, oldest first."),
    })
    .meta({ id: "Delivery" }),
);

const deliveryCounts = {
  delivered: z.int().describe("Deliveries that the endpoint accepted."),
  failed_tries: z.int().describe("Attempts that failed and are followed by another."),
  given_up: z
    .int()
    .describe(
      "Deliveries that are not retried: after their last attempt, or because the endpoint is disabled.",
    ),
};
export type DeliveryCounts = { [name in keyof typeof deliveryCounts]: number };

export const webhookStatisticsReply = reply(
  "WebhookStatisticsReply",
  z
    .object({
      after: instant.describe("The start of the first hour."),
      before: instant,
      series: z.array(
        z
          .object({
            webhook: z
              .string()
              .describe("The endpoint's id. Endpoints that were deleted in this time are included."),
            total: z.object(deliveryCounts).meta({ id: "WebhookStatisticsSum" }),
            points: z
              .array(
                z
                  .object({ at: instant.describe("When the hour begins."), ...deliveryCounts })
                  .meta({ id: "WebhookStatisticsPoint" }),
              )
              .describe("Oldest first. Hours without events are absent."),
          })
          .meta({ id: "WebhookStatisticsSeries" }),
      ),
    })
    .meta({ id: "WebhookStatistics" }),
);

export const deliveriesQuery = z.strictObject({
  status: deliveryStatus.optional().describe("Only deliveries with this status."),
  event: z
    .enum([...eventTypes, testEventType])
    .meta({ id: "DeliveredEventType" })
    .optional()
    .describe("Only deliveries of events of this type, such as `message.delivered`."),
  created_from: timeParam.optional().describe("Only deliveries made at this time (ISO 8601) or later."),
  created_to: timeParam.optional().describe("Only deliveries made before this time (ISO 8601)."),
  limit,
  cursor: z.string().max(200).optional().describe(cursorNote),
});

/** The delivery that a replay or a test event makes due. */
export const deliveryDueReply = reply(
  "DeliveryDueReply",
  z.object({ id: z.string().describe("The event's id.") }),
);

export const replayRequest = z
  .strictObject({
    since: z.iso
      .datetime({ offset: true })
      .describe("Only failed deliveries made at this time (ISO 8601) or later are replayed."),
  })
  .meta({ id: "ReplayFailedDeliveriesRequest" });

const { since } = replayRequest.shape;

export const failedQuery = z.strictObject({
  since: since
    .optional()
    .describe(
      "Only failed deliveries made at this time (ISO 8601) or later are counted. The default is all.",
    ),
});

export const failedReply = reply(
  "FailedDeliveriesReply",
  z.object({
    count: z.int().describe("How many deliveries a replay would make due again."),
    more: z.boolean().describe("Whether there may be more: the count covers 20,000 deliveries."),
  }),
);

export const replayReply = reply(
  "ReplayedDeliveriesReply",
  z.object({
    replayed: z.int().describe("How many deliveries are due again."),
    more: z
      .boolean()
      .describe("Whether failed deliveries remain: one call replays at most 10,000. If so, call again."),
  }),
);

export const retriesReply = reply(
  "WebhookRetriesReply",
  z
    .object({
      count: z.int().describe("How many deliveries wait for their next try."),
      more: z.boolean().describe("Whether more wait: the count covers 10,000 deliveries of each priority."),
      next_attempt_at: instant
        .nullable()
        .describe("When the first of them is tried again; null if none waits."),
      last_try: deliveryTry.nullable().describe("The endpoint's latest try; null before the first."),
    })
    .meta({ id: "WebhookRetries" }),
);

export const retryReply = reply(
  "RetriedDeliveriesReply",
  z.object({
    retried: z.int().describe("How many deliveries are due now."),
    more: z.boolean().describe("Whether some still wait: one call takes 10,000. If so, call again."),
  }),
);

const eventType = z
  .object({
    type: z.string(),
    title: z.string(),
    description: z.string().describe("When such an event is posted."),
    schema: anyFields.describe("The JSON Schema of the event's `data`."),
    example: z
      .object({ type: z.string(), timestamp: instant, data: anyFields })
      .meta({ id: "EventExample" })
      .describe("An event as it is posted."),
  })
  .meta({ id: "EventType" });

/** Every type of event, in the order of the catalogue. */
export const eventTypesReply = page("EventTypePage", eventType);

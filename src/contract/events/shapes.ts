// The data of each webhook event, as it is on the wire. The code that makes events has its types from here, and the tests' system validates
// every event that it posts against these schemas. Field names are public: adding one is fine, renaming or removing one breaks receivers.

import { z } from "zod";
import { deferredReply } from "#contract/ai/deferred.ts";
import { instant } from "#contract/envelope.ts";
import { channelWord } from "#contract/messages/channel-word.ts";
import type { EventType } from "#contract/messages/events.ts";
import { receivedRecord } from "#contract/messages/received/record.ts";
import { emailRecord, smsRecord, whatsappRecord } from "#contract/messages/record.ts";

// `waiting_for` is absent: an event is about a moment that has passed.
/** Events of an email have no body: it may be megabytes long. */
const email = emailRecord
  .omit({ message: true, text: true, events: true, waiting_for: true })
  .meta({ id: "EmailEventData" });

/** The record of the message, as the event left it. */
const message = z
  .discriminatedUnion("channel", [smsRecord, whatsappRecord, email])
  .meta({ id: "MessageEventData" });

const engagement = z
  .object({
    at: instant.describe("When it happened, by the provider's clock if it is known."),
    machine: z
      .boolean()
      .describe(
        "Whether a mail server or another program did it, as far as can be determined. It is not counted.",
      ),
    url: z.string().nullable().describe("The address of the link that was followed."),
    user_agent: z.string().nullable(),
    ip: z.string().nullable(),
    reason: z.string().nullable().describe("The words of the party that reports it."),
  })
  .meta({ id: "Engagement" });

/** What a recipient did with an email. */
const engaged = email.extend({ engagement }).meta({ id: "EngagementEventData" });

const received = receivedRecord.omit({ received_at: true }).meta({ id: "ReceivedEventData" });

const gatewayFields = {
  identifier: z.string().describe("The gateway's identifier."),
  channel: channelWord,
  kind: z.string().describe("The gateway's kind."),
  active: z.boolean(),
  default: z.boolean().describe("Whether it is the default gateway of its channel."),
  reason: z.string().nullable().describe("Why it happened, if there is a reason."),
};
const gateway = z.object(gatewayFields).meta({ id: "GatewayEventData" });

const gatewayLinked = z
  .object({
    ...gatewayFields,
    number: z.string().nullable().optional().describe("The number of the linked device, if it reports one."),
    name: z.string().nullable().optional().describe("The name of the linked device, if it reports one."),
  })
  .meta({ id: "LinkedGatewayEventData" });

const gatewayLimited = z
  .object({
    ...gatewayFields,
    until: z
      .int()
      .nullable()
      .describe("Until when the provider limits it, epoch ms; null if it did not say."),
  })
  .meta({ id: "LimitedGatewayEventData" });

const credit = z
  .object({
    channel: channelWord,
    allowance: z.int().describe("The allowance of the plan, in messages of the channel."),
    remaining: z.int().describe("What is left of it."),
  })
  .meta({ id: "CreditEventData" });

const poolMember = z
  .object({
    pool: z.string().describe("The pool's name."),
    member: z.string().describe("The member's name."),
    kind: z.string().describe("The kind of its provider."),
    reason: z.string().nullable().describe("Why it is down; null if it is available again."),
  })
  .meta({ id: "PoolMemberEventData" });

const budget = z
  .object({
    scope: z.enum(["key", "pool", "account"]).describe("Whose budget it is."),
    pool: z
      .string()
      .nullable()
      .describe("The pool's name; null if the budget covers all pools of the account."),
    key: z.string().nullable().describe("The key's name; null if the budget covers more than one key."),
    bound: z.enum(["tokens_per_day", "tokens_per_month", "cost_per_month"]),
    used: z.number().describe("Tokens, or units of the account's currency."),
    limit: z.number(),
    percent: z.int().describe("How much of the limit is used."),
    restarts_at: instant.describe("When the limit resets."),
  })
  .meta({ id: "BudgetEventData" });

const completion = z
  .object({
    id: z.string().describe("The id in the reply to the deferral."),
    object: deferredReply.shape.object,
    status: z.enum(["completed", "failed", "cancelled"]),
    attempts: deferredReply.shape.attempts,
    error: z.string().nullable().describe("The code of the error; null if it did not fail."),
  })
  .meta({ id: "CompletionEventData" });

const webhookTest = z
  .object({ webhook_id: z.string().describe("The id of the endpoint.") })
  .meta({ id: "WebhookTestEventData" });

/** The event that is posted to one endpoint when its owner requests it. Patterns neither select nor exclude it. */
export const testEventType = "webhook.test";

/** The types of all events that are posted. */
export type PostedType = EventType | typeof testEventType;

/** The schema of each event's `data`. */
export const eventShapes = {
  "message.queued": message,
  "message.scheduled": message,
  "message.sending": message,
  "message.sent": message,
  "message.delivered": message,
  "message.read": message,
  "message.failed": message,
  "message.undelivered": message,
  "message.bounced": message,
  "message.expired": message,
  "message.cancelled": message,
  "message.suppressed": message,
  "message.unknown": message,
  "message.received": received,
  "message.opened": engaged,
  "message.clicked": engaged,
  "message.complained": engaged,
  "message.recipient_bounced": email,
  "gateway.paused": gateway,
  "gateway.resumed": gateway,
  "gateway.linked": gatewayLinked,
  "gateway.unlinked": gateway,
  "gateway.limited": gatewayLimited,
  "gateway.outdated": gateway,
  "gateway.receipts_unmatched": gateway,
  "credit.low": credit,
  "pool.member_down": poolMember,
  "pool.member_up": poolMember,
  "budget.low": budget,
  "completion.done": completion,
  [testEventType]: webhookTest,
} as const satisfies Record<PostedType, z.ZodType>;

/** The data of each event. */
export type EventData = { [Type in PostedType]: z.output<(typeof eventShapes)[Type]> };
export type MessageEventData = z.output<typeof message>;
export type EngagementDetails = z.output<typeof engagement>;

/** When an event happened, and its data. */
export interface EventExample<Type extends PostedType> {
  timestamp: string;
  data: EventData[Type];
}

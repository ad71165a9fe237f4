// The management API's schemas for finding an account's messages.

import { z } from "zod";
import {
  anyFields,
  extended,
  idCursor,
  instant,
  limit,
  page,
  pageFields,
  reply,
} from "#contract/envelope.ts";
import { newTime, resolveRequest } from "#contract/messages/changes.ts";
import { type Status, statuses } from "#contract/messages/channel.ts";
import { channelWord } from "#contract/messages/channel-word.ts";
import { messageRecord } from "#contract/messages/record.ts";
import { deliveryRecord } from "./webhooks.ts";

const acceptedAt = z.iso.datetime({
  offset: true,
  error: "must be a date and time (ISO 8601) with its offset",
});

export const flag = z.enum(["true", "false"], { error: "must be true or false" });

const isStatus = (word: string): word is Status => (statuses as readonly string[]).includes(word);

/** The statuses in a filter that `messagesQuery` accepts, each once. */
export const statusesIn = (text: string): Status[] => [...new Set(text.split(",").filter(isStatus))];

export const messagesQuery = z.strictObject({
  channel: channelWord.optional().describe("Only messages of this channel."),
  status: z
    .string()
    .refine((text) => text.split(",").every(isStatus), {
      error: "must be a status such as failed, or several with commas between them",
    })
    .optional()
    .describe("Only messages with this status, or with one of several, such as `failed,bounced`."),
  gateway: z.string().max(100).optional().describe("Only messages of the gateway with this identifier."),
  recipient: z
    .string()
    .max(255)
    .optional()
    .describe("Only messages to this phone number or email address, in any spelling."),
  created_from: acceptedAt.optional().describe("Only messages accepted at this time (ISO 8601) or later."),
  created_to: acceptedAt.optional().describe("Only messages accepted before this time (ISO 8601)."),
  request: z.string().max(64).optional().describe("Only messages of the request with this id."),
  test: flag.optional().describe("Only messages of sandbox gateways (`true`), or only others (`false`)."),
  error: z.string().max(100).optional().describe("Only messages whose `error` has this code."),
  reference: z
    .string()
    .max(255)
    .optional()
    .describe("Only messages with this `reference`, or that a provider gave this id (`provider_reference`)."),
  held: flag
    .optional()
    .describe("Only messages that wait for an operator after a restore (`true`), or only others (`false`)."),
  order: z
    .enum(["newest", "due"])
    .default("newest")
    .describe(
      "`due`: only messages that wait, soonest first, emails without their bodies. It goes with channel, status, gateway, request, test, due_from and due_to.",
    ),
  due_from: acceptedAt.optional().describe("With `order=due`: only messages due at this time or later."),
  due_to: acceptedAt.optional().describe("With `order=due`: only messages due before this time."),
  brief: flag
    .optional()
    .describe("`true`: texts are cut to 200 characters, and emails come without their bodies."),
  limit,
  cursor: idCursor,
});

/** The messages that match, newest first. */
export const accountMessagesReply = z
  .object({
    ...pageFields(
      messageRecord,
      " A page may be short or empty and still have a next page: a rare match among very many messages is searched over several pages.",
    ),
    searched_until: instant
      .nullable()
      .describe(
        "How far this page searched: every match accepted after this time (with `order=due`: due before it) is in this page or in earlier ones. Null if it searched everything.",
      ),
  })
  .meta({ id: "AccountMessagePage" });

/** The request of the channel endpoint, without unknown fields. */
export const resolveAccountMessageRequest = resolveRequest
  .strict()
  .meta({ id: "ResolveAccountMessageRequest" });

const attempt = z
  .object({
    count: z.int().describe("Transmissions attempted so far."),
    repeats: z.int().describe("How many of them automatically repeated one whose outcome was unknown."),
    gateway_named: z
      .boolean()
      .describe(
        "Whether the sender chose the gateway, or its API key names the gateways that it may use. Such a message never moves to another one.",
      ),
    cost: z.int().describe("The credit that was reserved for the message."),
    cost_returned: z.boolean().describe("Whether that credit was returned."),
    held: z
      .boolean()
      .describe("Whether the message came from a restored backup and waits for an operator's decision."),
  })
  .meta({ id: "MessageAttempt" });

const transmission = z
  .object({
    number: z.int().describe("1 for the first."),
    gateway: z.string().describe("The identifier of the gateway."),
    started_at: instant,
    ended_at: instant.nullable().describe("Null while it is under way."),
    outcome: z
      .enum(["accepted", "rejected", "deferred", "unknown", "not_sent"])
      .nullable()
      .describe(
        "`deferred`: certainly not sent, and tried again. `not_sent`: the storage failed or the process stopped before the gateway was called. Null while it is under way.",
      ),
    code: z.string().nullable(),
    reason: z.string().nullable(),
    answer: z
      .object({ status: z.int(), body: z.string() })
      .nullable()
      .describe(
        "The provider's HTTP answer if it did not accept: the status and the first 1,000 characters, without the gateway's secrets.",
      ),
    next_attempt_at: instant.nullable().describe("When the message became due again as a result."),
  })
  .meta({ id: "MessageTransmission" });
export type TransmissionRecord = z.output<typeof transmission>;

/** One message with its timeline and its attempts. */
export const accountMessageReply = reply(
  "AccountMessageReply",
  z.object({
    record: messageRecord,
    attempt,
    attempts: z.array(transmission).describe("The transmissions, oldest first."),
  }),
);

const messageDelivery = extended("MessageDelivery", deliveryRecord, {
  webhook: z.string().describe("The id of the webhook endpoint."),
});

/** The webhook deliveries of a message's events, oldest first. */
export const messageDeliveriesReply = page("MessageDeliveryPage", messageDelivery);

/** A send in the form of a channel's own endpoints. */
export const sendMessagesRequest = z
  .strictObject({
    channel: channelWord.describe("The channel of all messages of the request."),
    contact: z
      .array(anyFields)
      .min(1)
      .describe(
        "The contacts, with the fields of the channel's send endpoint. If one of several WhatsApp contacts has `sections`, all are lists, with the fields of `/api/whatsapp/send-list`.",
      ),
    attachments: z
      .array(anyFields)
      .nullish()
      .describe("The files for every contact of an email, as in the JSON of `/api/email/send`."),
  })
  .meta({ id: "SendAccountMessagesRequest" });

const sentContact = z
  .object({
    recipient: z.string().describe("The recipient as the request has it."),
    status: z.enum(["queued", "scheduled"]),
    id: z.string().describe("The message's id."),
  })
  .meta({ id: "SentContact" });

export const sendMessagesReply = reply(
  "SendAccountMessagesReply",
  z.object({
    request_id: z.string().describe("The id of this request."),
    contact: z.array(sentContact).describe("One entry per contact of the request, in the same order."),
  }),
);

const bulkAction = z
  .enum(["cancel", "reschedule", "send_again", "mark_sent", "mark_failed"])
  .describe(
    "`cancel`, `reschedule`: messages that are not on their way yet. The others: messages whose outcome is unknown.",
  );
export type BulkAction = z.output<typeof bulkAction>;

export const bulkMessagesRequest = z
  .strictObject({
    action: bulkAction,
    ids: z
      .array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an id"))
      .min(1)
      .max(500)
      .describe("The messages' ids."),
    schedule_at: newTime.optional().describe("For `reschedule`: the new time, or null for at once."),
  })
  .meta({ id: "ChangeAccountMessagesRequest" });

export type BulkRequest = z.output<typeof bulkMessagesRequest>;

const bulkRefusal = z
  .object({
    id: z.string(),
    code: z.enum(["not_found", "not_cancellable", "not_unknown", "conflict"]),
    message: z.string(),
  })
  .meta({ id: "RefusedChange" });
export type BulkRefusal = z.output<typeof bulkRefusal>;

export const bulkMessagesReply = reply(
  "ChangedMessagesReply",
  z.object({
    done: z.array(z.string()).describe("The ids of the messages that were changed."),
    refused: z.array(bulkRefusal).describe("The messages that were not changed, each with the reason."),
  }),
);

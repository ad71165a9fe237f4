// Gateways: their fields, as the API names them. Stored gateways, requests, replies and the provisioning file share them.

import { z } from "zod";
import {
  anyFields,
  cursorNote,
  instant,
  limit,
  page,
  reply,
  revision,
  seenRevision,
} from "#contract/envelope.ts";
import { channelWord, statusWord } from "#contract/messages/channel-word.ts";
import { messageError, messageEvent } from "#contract/messages/record.ts";
import { freeText, nameText } from "#contract/name.ts";
import { patchSchema, shown } from "#contract/resource-schema.ts";

export const pace = z
  .strictObject({
    per_second: z
      .number()
      .positive()
      .max(100_000)
      .nullable()
      .default(null)
      .meta({ title: "Messages per second" })
      .describe("Maximum messages a second; null for no limit, or the kind's own."),
    concurrency: z.int().min(1).max(1000).default(8).describe("Maximum messages sent concurrently."),
    jitter_ms: z
      .int()
      .min(0)
      .max(3_600_000)
      .default(0)
      .meta({ title: "Random pause" })
      .describe("A random pause of up to this between two messages, ms."),
    per_day: z
      .int()
      .min(1)
      .nullable()
      .default(null)
      .meta({ title: "Messages per day" })
      .describe("Maximum messages a day, counted from local midnight; null for no limit, or the kind's own."),
    hours: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d-(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "must look like 08:00-20:00")
      .nullable()
      .default(null)
      .describe(
        "Hours of the day in which messages are sent, such as `08:00-20:00`, in the account's time zone; may wrap around midnight.",
      ),
  })
  .describe("How fast the gateway sends.");

export const retry = z
  .strictObject({
    first_ms: z
      .int()
      .min(100)
      .max(3_600_000)
      .default(5_000)
      .meta({ title: "First wait" })
      .describe("Shortest wait before a retry, ms."),
    max_ms: z
      .int()
      .min(100)
      .max(86_400_000)
      .default(900_000)
      .meta({ title: "Longest wait" })
      .describe("The longest wait between two attempts, ms."),
    for_ms: z
      .int()
      .min(0)
      .max(2_592_000_000)
      .default(86_400_000)
      .meta({ title: "Give up after" })
      .describe("How long a message is retried before it fails, ms."),
  })
  .describe("How messages that were certainly not sent are retried.");

/** How a gateway sends. */
export const gatewayRules = z.strictObject({
  pace: pace.prefault({}),
  retry: retry.prefault({}),
  on_unknown: z
    .enum(["hold", "resend"])
    .nullable()
    .default(null)
    .meta({ title: "Unknown outcomes" })
    .describe(
      "Messages that may have been sent. `hold`: they stay `unknown`. `resend`: they are sent once more.",
    ),
});
export type GatewayRules = z.output<typeof gatewayRules>;

export const gatewayFields = z.strictObject({
  identifier: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
      "must be 1 to 100 letters, digits, dots, dashes or underscores",
    )
    .describe(
      "The `gateway_identifier` of the API, 1 to 100 letters, digits, dots, dashes or underscores; unique in the installation.",
    ),
  channel: channelWord.describe("What it sends."),
  kind: z.string().describe("The kind of the gateway, such as `sandbox`."),
  default: z
    .boolean()
    .default(false)
    .describe("Whether it sends the channel's messages that name no gateway."),
  active: z
    .boolean()
    .default(true)
    .describe(
      "`false` switches it off: what waits on it moves to the default gateway, unless the sender named this one.",
    ),
  settings: z.record(z.string(), z.unknown()).default({}).describe("As its kind says."),
  ...gatewayRules.shape,
});
export type GatewayFields = z.output<typeof gatewayFields>;

const { identifier: _identifier, channel: _channel, ...changeable } = patchSchema(gatewayFields).shape;

/** The PATCH body of a gateway. Its identifier and its channel cannot change. */
export const gatewayChanges = z.strictObject({
  ...changeable,
  settings: changeable.settings.describe(
    "Changes of its settings: each field replaces the stored one, `null` removes it, a mask keeps the stored value. With another `kind`, all settings.",
  ),
  revision: seenRevision,
});

const gateway = z
  .object({
    id: z.string(),
    ...shown(gatewayFields).shape,
    test: z.boolean().describe("Whether the gateway is a sandbox, which sends nothing."),
    settings: anyFields.describe(
      "The settings of the gateway's kind, with the mask `••••` for every secret. Sending a mask back keeps the stored secret.",
    ),
    state: z
      .enum(["active", "paused", "stopped", "off"])
      .describe(
        "`paused`: the provider fails, and the gateway is tried again at `pause.until`. `stopped`: paused by hand until it is resumed. `off`: switched off.",
      ),
    pause: z
      .object({
        reason: z.string(),
        since: instant.describe(
          "When it began. Of a failure: when it first failed, also if it was resumed since and failed again at once.",
        ),
        until: instant
          .nullable()
          .describe("When the gateway is retried; null if it has to be resumed manually or reconnected."),
        by: z.string().nullable().describe("Who stopped it; null if a failure did, or it is not known."),
      })
      .nullable(),
    session: z
      .object({
        state: z
          .enum(["connecting", "pairing", "connected", "disconnected", "logged_out"])
          .describe(
            "`pairing`: a device has to be linked. `disconnected`: the connection was lost and is tried again. `logged_out`: the link to the device ended. Messages go out while it is `connected`.",
          ),
        reason: z.string().nullable().describe("Why it is not connected, if that is known."),
        since: instant.describe("Since when it has been in this state."),
        linked_at: instant.nullable().describe("Since when a device is linked; null if none is."),
      })
      .nullable()
      .describe("The gateway's connection; null if it is disabled, or its kind has no connection."),
    unknown_word: z
      .object({ word: z.string(), at: instant.describe("When it was first reported, or again after a day.") })
      .nullable()
      .describe(
        "The last status in a report of the provider that Trunkline does not know; null if there was none.",
      ),
    receipts_unmatched_since: instant
      .nullable()
      .describe(
        "Since when the provider's receipts match no message of the gateway, after twenty of them. Null if they match.",
      ),
    provider: z
      .object({
        number: z.string().nullable().describe("The sending number."),
        name: z.string().nullable().describe("The name that recipients see."),
        quality: z.enum(["high", "medium", "low"]).nullable().describe("How recipients rate its messages."),
        limit: z
          .string()
          .nullable()
          .describe("How many people it may write to first in a day, in the provider's word."),
        throughput: z.string().nullable().describe("How fast the number may send, in the provider's word."),
        notice: z
          .object({ text: z.string(), at: instant })
          .nullable()
          .describe(
            "The last thing that the provider reported, such as a restriction, or that five mails in a row were refused because of their sender.",
          ),
        at: instant.describe("When the provider last reported, by its clock."),
      })
      .nullable()
      .describe("The provider's reports about the gateway itself; null if there are none yet."),
    waiting: z
      .int()
      .describe(
        "The number of messages that wait for the gateway. Due ones and later ones count up to 1,000 each.",
      ),
    queue: z
      .object({
        due: z.int().describe("Messages that are due now, counted up to 1,000."),
        oldest_due_at: instant.nullable().describe("Since when the first of them has been due."),
        later: z.int().describe("Messages that are due later, counted up to 1,000."),
        next_due_at: instant.nullable().describe("When the first of them becomes due."),
        more: z.boolean().describe("Whether one of the two counts stopped at 1,000."),
      })
      .describe("What waits for the gateway."),
    deferring: z
      .object({
        since: instant.describe("When the first of the messages was deferred."),
        count: z.int().describe("Messages that have been deferred for five minutes or more, up to 600."),
        more: z.boolean().describe("Whether there may be more of them."),
        next_attempt_at: instant.describe("When the first of them is attempted again."),
        reason: z.string().nullable().describe("Why the last attempt failed."),
      })
      .nullable()
      .describe(
        "Set if an active gateway has deferred messages for five minutes and the provider has accepted none since, or for an hour: its attempts all fail.",
      ),
    today: z
      .object({
        sent: z.int(),
        per_day: z.int(),
        restarts_at: instant.describe("When the count resets: local midnight."),
      })
      .nullable()
      .describe("How much of the daily limit is used; null if the gateway has none."),
    opens_at: instant
      .nullable()
      .describe("When the gateway's hours begin; null if they have begun, or it has none."),
    slowed: z
      .object({
        factor: z
          .int()
          .describe("Its rate is divided by this, which is halved after each hour without such a failure."),
        since: instant.describe("When the phone last reported it."),
        until: instant.describe("When the full rate is restored, unless the phone reports it again."),
      })
      .nullable()
      .describe(
        "Set if the phone reported that it may not send so fast, so its messages are sent more slowly.",
      ),
    draining: z
      .object({
        since: instant,
        sending: z.int().describe("Messages being sent, counted up to 1,000."),
      })
      .nullable()
      .describe(
        "Set if the gateway is being deleted: it accepts no new messages, sends those that it has, and is gone when the last one has ended.",
      ),
    pauses_in_row: z
      .int()
      .describe(
        "How many pauses followed one another without a success. Each is longer than the one before.",
      ),
    reported_at: instant
      .nullable()
      .describe(
        "When the provider last reported on messages or delivered one, to within half a minute; null if never.",
      ),
    callback_url: z
      .string()
      .nullable()
      .describe(
        "The URL for the provider's reports; null without a public URL, and for kinds without reports.",
      ),
    revision,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "Gateway" });
export type GatewayReplyData = z.output<typeof gateway>;

export const gatewayReply = reply("GatewayReply", gateway);

/** The result of deleting a gateway. */
export const gatewayDeletionReply = reply(
  "GatewayDeletionReply",
  z.object({
    deleted: z.boolean().describe("False if it will be deleted when its last message has ended."),
    waiting: z.int().describe("Messages that wait on it, counted up to 1,000."),
    sending: z.int().describe("Messages being sent, counted up to 1,000."),
  }),
);

const gatewayPause = z
  .object({
    since: instant,
    until: instant.nullable().describe("When the pause ended; null while it lasts."),
    reason: z.string().nullable(),
  })
  .meta({ id: "GatewayPause" });

export const pausesQuery = z.strictObject({
  limit,
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "is not a cursor")
    .optional()
    .describe(cursorNote),
});

/** The pauses of a gateway, newest first. */
export const pausesReply = page("GatewayPausePage", gatewayPause);

/** All gateways of the account, oldest first. */
export const gatewaysReply = page("GatewayPage", gateway);

export const testGatewayRequest = z
  .strictObject({
    to: nameText(1, 255).describe("The recipient's phone number, or email address."),
    message: freeText(1, 1_600)
      .optional()
      .describe("The text. The default is a sentence that names the gateway."),
    wait_ms: z
      .int()
      .min(0)
      .max(10_000)
      .default(10_000)
      .describe("How long the answer waits for the message's outcome, ms; with 0 it comes at once."),
  })
  .meta({ id: "TestGatewayRequest" });

/** The test message: an ordinary one, which lookups find like any other. */
export const gatewayTestReply = reply(
  "GatewayTestReply",
  z.object({
    id: z.string().describe("The message's id."),
    status: statusWord.describe("Its status after `wait_ms` at most; `queued` if it still waits."),
    error: messageError,
    events: z.array(messageEvent).describe("Its timeline so far."),
  }),
);

const gatewayKind = z
  .object({
    kind: z.string(),
    title: z.string(),
    summary: z.string(),
    channels: z.array(channelWord),
    test: z.boolean().describe("Whether gateways of this kind are sandboxes, which send nothing."),
    checks: z
      .boolean()
      .describe(
        "Whether `checkGateway` checks such a gateway: that its provider can be reached, or its set-up at the provider.",
      ),
    links: z.boolean().describe("Whether a person links a device to such a gateway (`getGatewayLink`)."),
    settings: anyFields.describe(
      "The JSON Schema of the settings. A secret has `writeOnly`: it is stored sealed and shown as `••••`.",
    ),
  })
  .meta({ id: "GatewayKind" });

export const gatewayKindsReply = page("GatewayKindPage", gatewayKind);

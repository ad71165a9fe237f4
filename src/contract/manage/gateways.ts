// The management API's schemas for gateways and their kinds.

import { z } from "zod";
import { anyFields, instant, page, reply, revision } from "#contract/envelope.ts";
import { channelWord } from "#contract/messages/channel-word.ts";
import { freeText, nameText } from "#contract/name.ts";

const gateway = z
  .object({
    id: z.string(),
    identifier: z.string().describe("The `gateway_identifier` of the API."),
    channel: channelWord,
    kind: z.string(),
    default: z.boolean().describe("Whether the gateway takes the channel's messages that name no gateway."),
    active: z.boolean(),
    test: z.boolean().describe("Whether the gateway is a sandbox, which sends nothing."),
    settings: anyFields.describe(
      "The settings of the gateway's kind, with the mask `••••` for every secret. A mask that is sent back keeps the stored secret.",
    ),
    pace: z.object({
      per_second: z.number().nullable(),
      concurrency: z.int(),
      jitter_ms: z.int(),
      per_day: z.int().nullable(),
      hours: z.string().nullable(),
    }),
    retry: z.object({ first_ms: z.int(), max_ms: z.int(), for_ms: z.int() }),
    on_unknown: z
      .enum(["hold", "resend"])
      .nullable()
      .describe(
        "What happens to a message whose outcome is unknown; null: the default of the gateway's kind.",
      ),
    state: z
      .enum(["active", "paused", "stopped", "off"])
      .describe(
        "`paused`: the provider fails, and the gateway is tried again at `pause.until`. `stopped`: paused by hand until it is resumed. `off`: switched off.",
      ),
    pause: z
      .object({
        reason: z.string(),
        since: instant,
        until: instant
          .nullable()
          .describe("When the gateway is tried again; null: when it is resumed by hand, or connected again."),
      })
      .nullable(),
    session: z
      .object({
        state: z
          .enum(["connecting", "pairing", "connected", "disconnected", "logged_out"])
          .describe(
            "`pairing`: a device has to be linked. `disconnected`: the connection was lost and is tried again. `logged_out`: the link to the device ended. Messages go out while it is `connected`.",
          ),
        reason: z.string().nullable().describe("Why it is not connected, where that is known."),
        since: instant.describe("Since when the state is as it is."),
        linked_at: instant.nullable().describe("Since when a device is linked; null: none is."),
      })
      .nullable()
      .describe(
        "The connection that the gateway holds; null: it is switched off, or of a kind that holds none.",
      ),
    unknown_word: z
      .object({ word: z.string(), at: instant.describe("When it was first reported, or again after a day.") })
      .nullable()
      .describe(
        "The last status in a report of the provider that Trunkline does not know; null: there was none.",
      ),
    provider: z
      .object({
        number: z.string().nullable().describe("The sending number."),
        name: z.string().nullable().describe("The name that recipients see."),
        quality: z.enum(["high", "medium", "low"]).nullable().describe("How recipients judge what they got."),
        limit: z
          .string()
          .nullable()
          .describe("How many people may be written to first in a day, in the provider's word."),
        throughput: z.string().nullable().describe("How fast the number may send, in the provider's word."),
        notice: z
          .object({ text: z.string(), at: instant })
          .nullable()
          .describe("The last thing that the provider reported, such as a restriction."),
        at: instant.describe("When the provider last reported, by its clock."),
      })
      .nullable()
      .describe("What the provider reports of the gateway itself; null: nothing so far."),
    waiting: z.int().describe("The number of messages that wait for the gateway, counted up to 10,000."),
    callback_url: z
      .string()
      .nullable()
      .describe(
        "The address for the provider's reports; null without a public URL and for kinds that take no reports.",
      ),
    revision,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "Gateway" });
export type GatewayReplyData = z.output<typeof gateway>;

export const gatewayReply = reply("GatewayReply", gateway);

/** All gateways of the account, oldest first. */
export const gatewaysReply = page("GatewayPage", gateway);

export const testGatewayRequest = z
  .strictObject({
    to: nameText(1, 255).describe("The recipient's phone number, or email address."),
    message: freeText(1, 1_600)
      .optional()
      .describe("The text. The default is a sentence that names the gateway."),
  })
  .meta({ id: "TestGatewayRequest" });

/** The test message: an ordinary one, which lookups find like any other. */
export const gatewayTestReply = reply(
  "GatewayTestReply",
  z.object({ id: z.string().describe("The message's id."), status: z.enum(["queued", "scheduled"]) }),
);

const gatewayKind = z
  .object({
    kind: z.string(),
    title: z.string(),
    summary: z.string(),
    channels: z.array(channelWord),
    test: z.boolean().describe("Whether gateways of this kind are sandboxes, which send nothing."),
    checks: z.boolean().describe("Whether `checkGateway` asks the provider how such a gateway is set up."),
    links: z.boolean().describe("Whether a person links a device to such a gateway (`getGatewayLink`)."),
    settings: anyFields.describe(
      "The JSON Schema of the settings. A secret has `writeOnly`: it is stored sealed and shown as `••••`.",
    ),
  })
  .meta({ id: "GatewayKind" });

export const gatewayKindsReply = page("GatewayKindPage", gatewayKind);

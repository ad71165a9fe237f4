// The management API's words for gateways and the kinds that there are.

import { z } from "zod";
import { channels } from "#contract/messages/channel.ts";
import { freeText, nameText } from "#contract/name.ts";

const instant = z.iso.datetime({ precision: 3 });

const gateway = z.object({
  id: z.string(),
  identifier: z.string().describe("The `gateway_identifier` of the API."),
  channel: z.enum(channels),
  kind: z.string(),
  default: z.boolean().describe("Takes the channel's messages that name no gateway."),
  active: z.boolean(),
  test: z.boolean().describe("A sandbox: nothing is really sent."),
  settings: z
    .record(z.string(), z.unknown())
    .describe(
      "As its kind says, with `••••` for every secret. A mask that is sent back keeps what is stored.",
    ),
  pace: z.object({
    per_second: z.number().nullable(),
    concurrency: z.int(),
    jitter_ms: z.int(),
    per_day: z.int().nullable(),
    hours: z.string().nullable(),
  }),
  retry: z.object({ first_ms: z.int(), max_ms: z.int(), for_ms: z.int() }),
  on_unknown: z.enum(["hold", "resend"]).nullable().describe("Null: as its kind does."),
  state: z
    .enum(["active", "paused", "stopped", "off"])
    .describe(
      "`paused`: it is in trouble, and tried again at `pause.until`. `stopped`: paused by hand, until it is resumed. `off`: switched off.",
    ),
  pause: z
    .object({
      reason: z.string(),
      since: instant,
      until: instant
        .nullable()
        .describe(
          "When it is tried again; null: when it is resumed by hand, or its connection is open again.",
        ),
    })
    .nullable(),
  waiting: z.int().describe("Messages that wait on it, counted up to 10,000."),
  callback_url: z
    .string()
    .nullable()
    .describe(
      "Where its provider reports to; null without a public URL, and for kinds that take no reports.",
    ),
  created_at: instant,
  updated_at: instant,
});
export type GatewayReplyData = z.output<typeof gateway>;

export const gatewayReply = z.object({ success: z.literal(true), message: z.string(), data: gateway });

/** All gateways of the account, oldest first. */
export const gatewaysReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(gateway),
  next_cursor: z.null().describe("They all come at once."),
});

export const testGatewayRequest = z.strictObject({
  to: nameText(1, 255).describe("The recipient's phone number, or email address."),
  message: freeText(1, 1_600).optional().describe("The text; a sentence of ours without one."),
});

/** The test message: an ordinary one, to be looked up like any other. */
export const gatewayTestReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.object({ id: z.string().describe("The message's id."), status: z.enum(["queued", "scheduled"]) }),
});

/** Something is gone, and there is nothing to show. */
export const gatewayGoneReply = z.object({ success: z.literal(true), message: z.string(), data: z.null() });

export const gatewayKindsReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(
    z.object({
      kind: z.string(),
      title: z.string(),
      summary: z.string(),
      channels: z.array(z.enum(channels)),
      test: z.boolean().describe("A sandbox: nothing is really sent."),
      settings: z
        .record(z.string(), z.unknown())
        .describe(
          "JSON Schema of its settings. What is secret has `writeOnly`: it is stored sealed and answered as `••••`.",
        ),
    }),
  ),
  next_cursor: z.null().describe("They all come at once."),
});

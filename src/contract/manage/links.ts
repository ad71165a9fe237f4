// The management API's schemas for the link between a gateway and the device that serves it.

import { z } from "zod";
import { instant, reply } from "#contract/envelope.ts";

const device = z.object({
  id: z.string().describe("The device's id, which gateways of its other SIMs name."),
  name: z.string().nullable().describe("As the device calls itself."),
  number: z
    .string()
    .nullable()
    .describe("Its number, as far as it is known; masked where the device masks it."),
  platform: z.string().nullable(),
  version: z.string().nullable().describe("The version of the app."),
  battery: z.int().nullable().describe("Percent."),
  linked_at: instant,
  seen_at: instant.nullable().describe("When it was last heard of."),
});

const link = z.object({
  state: z
    .enum(["unlinked", "waiting_for_code", "expired", "open", "reconnecting", "logged_out"])
    .describe(
      "`waiting_for_code`: a person has to enter the code on the device. `expired`: that did not happen in time. `open`: linked. `reconnecting`: linked, and not heard of for too long. `logged_out`: the link was ended.",
    ),
  method: z.enum(["qr", "code", "enrol"]).nullable().describe("How the device is being linked."),
  reason: z.string().nullable(),
  warnings: z.array(z.string()).describe("What is wrong with the device or its settings, in sentences."),
  url: z.string().nullable().describe("The page that shows a person on the device how to link it."),
  qr: z
    .object({ text: z.string(), svg: z.string().nullable(), expires_at: instant })
    .nullable()
    .describe("A QR code that opens the page."),
  code: z.object({ text: z.string(), expires_at: instant }).nullable(),
  device: device.nullable(),
  limited_until: instant.nullable(),
  library: z.string().nullable(),
});
export type LinkData = z.output<typeof link>;

export const linkReply = reply("GatewayLinkReply", link);

export const startLinkRequest = z.strictObject({
  method: z
    .enum(["qr", "code", "enrol"])
    .default("qr")
    .describe("`qr`: by a page that a QR code opens. `code`: by a code. `enrol`: by a token alone."),
  number: z
    .string()
    .max(32)
    .nullish()
    .describe("The number of the device, where the code is made for a number."),
  replace: z.boolean().default(false).describe("Whether a device that is linked already may be replaced."),
});
export type StartLinkRequest = z.output<typeof startLinkRequest>;

export const startedLinkReply = reply(
  "StartedGatewayLinkReply",
  link.extend({
    token: z
      .string()
      .nullable()
      .describe("The token that the device is set up with (the app's private token). It is shown this once."),
  }),
);

export const endedLinkReply = reply(
  "EndedGatewayLinkReply",
  z.object({
    told_phone: z.boolean().describe("Whether the device was told, or finds out when it next asks."),
  }),
);

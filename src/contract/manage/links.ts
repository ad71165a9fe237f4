// The management API's schemas for the link between a gateway and a device.

import { z } from "zod";
import { extended, instant, reply } from "#contract/envelope.ts";
import { linkStates } from "./link-state.ts";

const link = z
  .object({
    state: z
      .enum(linkStates)
      .describe(
        "`waiting_for_scan`, `waiting_for_code`: show `qr` or `code`. `open`: linked and connected. `limited`: the number may not write to new people, or not connect, until `limited_until`. `replaced`: another program opened the same link; resume takes it back. `wrong_number`: another number than before was linked, and unlinked at once. `outdated`: WhatsApp refuses this version of the library. `expired`, `logged_out`, `needs_relink`, `unlinked`: link a device. `not_installed`: the library is not installed. `connecting`, `reconnecting`: wait.",
      ),
    method: z
      .enum(["qr", "code", "enrol"])
      .nullable()
      .describe("How the device is linked or was last linked."),
    reason: z.string().nullable().describe("Why it is not connected, if that is known."),
    warnings: z.array(z.string()),
    url: z.string().nullable().describe("The target of the QR code, for kinds whose code is a URL."),
    qr: z
      .object({
        text: z.string(),
        svg: z.string().describe("The QR code as an image."),
        expires_at: instant,
      })
      .nullable()
      .describe("Shown only to the caller who requested the link, because it can link a device."),
    code: z
      .object({ text: z.string(), expires_at: instant })
      .nullable()
      .describe("The code to enter on the phone. Shown only to the caller who requested the link."),
    device: z
      .object({
        id: z.string().nullable(),
        name: z.string().nullable(),
        number: z.string().nullable(),
        platform: z.string().nullable(),
        version: z.string().nullable(),
        battery: z.int().nullable().describe("Per cent, if the device reports it."),
        linked_at: instant.nullable(),
        seen_at: instant.nullable(),
      })
      .nullable(),
    limited_until: instant.nullable(),
    library: z.string().nullable().describe("The library that talks to the device, with its version."),
  })
  .meta({ id: "GatewayLink" });
export type LinkData = z.output<typeof link>;

export const linkReply = reply("GatewayLinkReply", link);

export const startedLinkReply = reply(
  "StartedGatewayLinkReply",
  extended("StartedGatewayLink", link, {
    token: z
      .string()
      .nullable()
      .describe(
        "The secret for setting up an Android phone (the app's private token). It is shown only once.",
      ),
  }),
);

export const linkRequest = z
  .strictObject({
    method: z
      .enum(["qr", "code", "enrol"])
      .describe(
        "`qr`: a code to scan. `code`: one to type in on the phone. `enrol`: a token alone, for Android phones.",
      ),
    number: z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/, "must be a number with its country, such as +4915123456789")
      .optional()
      .describe("The phone's number; WhatsApp requires it with `code`."),
    replace: z
      .boolean()
      .default(false)
      .describe("Unlinks the current device, and accepts a different number."),
  })
  .meta({ id: "LinkGatewayRequest" });
export type LinkInput = z.output<typeof linkRequest>;

/** A stream of events, each of them `event: link` with the link as JSON. */
export const linkEvents = z
  .string()
  .describe("Events named `link`, each with a `GatewayLink` as its data; the first one at once.");

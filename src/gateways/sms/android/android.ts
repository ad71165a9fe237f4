// A phone with a SIM, by the open-source app "SMS Gateway for Android" (https://sms-gate.app), version 1.53.1 or later. The
// unmodified app is the client: it asks for messages, reports what became of them, and passes received ones on. It was read
// in its source at 1.68.0, and in its change log up to 1.75.0; no phone was tried.

import { z } from "zod";
import { defineGateway } from "#gateways/gateway.ts";

const hourMs = 3_600_000;

export const androidSettings = z.strictObject({
  phone: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "must be the identifier of a gateway")
    .optional()
    .describe(
      "For a gateway of another SIM: the identifier of the gateway to which the phone is linked, or its id (`device.id` of the link). Absent: a phone is linked to this gateway.",
    ),
  sim: z
    .union([z.literal(1), z.literal(2), z.literal(3), z.literal("any")])
    .default("any")
    .describe("The slot of the SIM that sends, from 1. `any`: as the phone is set."),
  delivery_reports: z
    .boolean()
    .default(true)
    .describe("Whether the phone asks for delivery reports, for which some operators charge."),
  keep_for_h: z
    .int()
    .min(1)
    .max(720)
    .default(24)
    .describe("How long after its due time the phone may still send a message, hours."),
  ahead: z
    .int()
    .min(1)
    .max(50)
    .default(5)
    .describe("Most messages that the phone has at once and has not reported."),
  ping_s: z
    .int()
    .min(60)
    .max(3600)
    .nullable()
    .default(300)
    .describe("How often the phone reports that it is alive and asks for messages, seconds; null for never."),
});
export type AndroidSettings = z.output<typeof androidSettings>;

export const android = defineGateway({
  kind: "android",
  channels: ["sms"],
  contents: ["text"],
  title: "Android phone",
  summary:
    "SMS through the SIM of an Android phone that runs the open-source app SMS Gateway for Android. See the page on phones.",
  settings: androidSettings,
  connection: "pulled",
  // Contracts without a limit are cut off for much less than what a phone can send, and texts at an even pace look like a machine's.
  defaultPace: { perSecond: 1 / 6, jitterMs: 4_000, perDay: 200, maxConcurrency: 1 },
});

/** The gateway to which the phone `named` is linked, by its id or its identifier. */
export const findPhoneOwner = <Gateway extends { id: string; identifier: string }>(
  own: readonly Gateway[],
  named: string,
): Gateway | undefined =>
  own.find(({ id }) => id === named) ?? own.find(({ identifier }) => identifier === named);

/** How long after its due time a message may still be sent, ms. */
export const keepMsOf = ({ keep_for_h }: AndroidSettings): number => keep_for_h * hourMs;
